/* The boundary conditions of one port node of a plane flow, before its collision. Included by
 * plane_nodes.h with HT_REAL and HT_NODE(name) of nodes.h; no include guard on purpose.
 *
 * Zou & He, Phys. Fluids 9 (1997) 1591, with shifted distribution functions: the unknown values
 * follow from mass, momentum and bounce-back of the deviation from equilibrium along the normal.
 * Momenta j, (1 + rho) u in the quasi-compressible model, u in the incompressible one. */

/* An edge: the three directions with c . inward > 0 come from outside. */
HT_INLINE void HT_NODE(plane_edge)(const ht_plane_port_node *port, HT_REAL share,
                                   int compressibility, int axis, HT_REAL *g) {
  int inward = port->inward[axis], quasi = compressibility == HT_QUASI_COMPRESSIBLE;
  HT_REAL known = 0, flux = 0; /* sum of the known values, leaving ones twice; tangential flux */
  for (int q = 0; q < HT_D2Q9_Q; q++) {
    int normal = ht_d2q9_c[q][axis] * inward;
    if (normal <= 0) known += (HT_REAL)(1 - normal) * g[q];
    if (normal == 0) flux += (HT_REAL)ht_d2q9_c[q][1 - axis] * g[q];
  }
  HT_REAL rho = share * (HT_REAL)port->density, along;
  if (port->has_velocity) {
    HT_REAL u = share * (HT_REAL)port->velocity[axis] * (HT_REAL)inward;
    rho = quasi ? (known + u) / (1 - u) : known + u;
    along = quasi ? u * (1 + rho) : u;
  } else {
    along = rho - known;
  }
  HT_REAL beside = share * (HT_REAL)port->velocity[1 - axis] * (quasi ? 1 + rho : 1);
  for (int q = 1; q < HT_D2Q9_Q; q++) {
    if (ht_d2q9_c[q][axis] * inward <= 0) continue;
    HT_REAL t = ht_d2q9_c[q][1 - axis];
    HT_REAL diagonal = along / 6 + t * (beside - flux) / 2;
    g[q] = g[ht_opposite(q)] + (t == 0 ? along * 2 / 3 : diagonal);
  }
}

/* The momentum along direction q sets the value that comes in along it at a corner. */
HT_INLINE void HT_NODE(plane_enter)(HT_REAL *g, int q, const HT_REAL *j) {
  HT_REAL along = (HT_REAL)ht_d2q9_c[q][0] * j[0] + (HT_REAL)ht_d2q9_c[q][1] * j[1];
  g[q] = g[ht_opposite(q)] + along * (q < 5 ? (HT_REAL)2 / 3 : (HT_REAL)1 / 6);
}

/* A corner: five directions are unknown; the two that run from outside to outside share the rest of
 * the density. `inside` gives the quantities that neither port prescribes. */
HT_INLINE void HT_NODE(plane_corner)(const ht_plane_port_node *port, HT_REAL share,
                                     int compressibility, const HT_REAL *inside, HT_REAL *g) {
  int right = port->inward[0] > 0, up = port->inward[1] > 0;
  int into = right ? (up ? 5 : 7) : (up ? 8 : 6), buried = into < 7 ? 7 : 5;
  HT_REAL rho, j[2], rest = 0;
  HT_NODE(d2q9_velocity)(inside, compressibility, &rho, j);
  if (port->has_density) rho = share * (HT_REAL)port->density;
  for (int a = 0; a < 2; a++) {
    if (port->has_velocity) j[a] = share * (HT_REAL)port->velocity[a];
    if (compressibility == HT_QUASI_COMPRESSIBLE) j[a] *= 1 + rho;
  }
  HT_NODE(plane_enter)(g, right ? 1 : 2, j);
  HT_NODE(plane_enter)(g, up ? 3 : 4, j);
  HT_NODE(plane_enter)(g, into, j);
  g[buried] = g[buried + 1] = 0;
  for (int q = 0; q < HT_D2Q9_Q; q++) rest += g[q];
  HT_REAL along = (HT_REAL)ht_d2q9_c[buried][0] * j[0] + (HT_REAL)ht_d2q9_c[buried][1] * j[1];
  g[buried] = (rho - rest) / 2 + along / 12;
  g[buried + 1] = (rho - rest) / 2 - along / 12;
}

/* All values from density, momentum and second moment, without those of higher order (the
 * regularised form of Latt & Chopard, Math. Comput. Simul. 72 (2006) 165). */
HT_INLINE void HT_NODE(plane_regularise)(HT_REAL *g) {
  HT_REAL rho, jx, jy, diagonal = (g[5] + g[6]) + (g[7] + g[8]);
  HT_NODE(d2q9_moments)(g, &rho, &jx, &jy);
  HT_REAL xx = (g[1] + g[2]) + diagonal - rho / 3, yy = (g[3] + g[4]) + diagonal - rho / 3;
  HT_REAL xy = (g[5] + g[6]) - (g[7] + g[8]);
  for (int q = 0; q < HT_D2Q9_Q; q++) {
    HT_REAL x = ht_d2q9_c[q][0], y = ht_d2q9_c[q][1];
    HT_REAL w = (HT_REAL)(q == 0 ? 4.0 / 9 : q < 5 ? 1.0 / 9 : 1.0 / 36);
    HT_REAL second = x * x * xx + y * y * yy + 2 * x * y * xy - (xx + yy) / 3;
    g[q] = w * (rho + 3 * (x * jx + y * jy) + (HT_REAL)4.5 * second);
  }
}

/* Applies the conditions of a node's ports to the values that arrive there, g; `inside`: the values
 * that arrive at the node diagonally inside (corners only); `share`: of the full values. */
HT_INLINE void HT_NODE(plane_set_port)(const ht_plane_port_node *port, double share,
                                       int compressibility, const HT_REAL *inside, HT_REAL *g) {
  HT_REAL part = (HT_REAL)share;
  for (int q = 1; q < HT_D2Q9_Q; q++) g[q] += part * (HT_REAL)port->push[q];
  if (port->inward[0] && port->inward[1])
    HT_NODE(plane_corner)(port, part, compressibility, inside, g);
  else if (port->inward[0])
    HT_NODE(plane_edge)(port, part, compressibility, 0, g);
  else if (port->inward[1])
    HT_NODE(plane_edge)(port, part, compressibility, 1, g);
  if (port->inward[0] || port->inward[1]) HT_NODE(plane_regularise)(g);
}
