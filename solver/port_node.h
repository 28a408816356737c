/* The slow way to one node, shared by both backends: pull, walls and port condition, from the tiled
 * layout [tiles][19][64]. Used for port nodes and for reading fields. Included after node.h with
 * HT_REAL and HT_NODE(name) defined. */

/* Gathers the 19 values that arrive at node `local` of `tile`; walls bounce back. */
HT_INLINE void HT_NODE(arrive)(const HT_REAL *values, const int32_t *neighbours, uint32_t links,
                               int64_t tile, int local, HT_REAL *g) {
  const HT_REAL *own = values + tile * HT_TILE_VALUES;
  g[0] = own[local];
  for (int q = 1; q < HT_Q; q++) {
    int slot, from;
    ht_pull_source(local, q, &slot, &from);
    if ((links >> q) & 1) {
      g[q] = own[64 * ht_opposite(q) + local];
    } else {
      int64_t there = neighbours[HT_TILE_NEIGHBOURS * tile + slot];
      g[q] = values[there * HT_TILE_VALUES + 64 * q + from];
    }
  }
}

/* The velocity that a port asks for, from its component along the inward axis. */
HT_INLINE void HT_NODE(along_port)(const ht_port_node *port, HT_REAL un, HT_REAL *u) {
  u[port->axis] = un * port->inward;
  u[(port->axis + 1) % 3] = un * (HT_REAL)port->tangent[0];
  u[(port->axis + 2) % 3] = un * (HT_REAL)port->tangent[1];
}

/* What the node inside of a port has: density, velocity, deviation from equilibrium. */
HT_INLINE void HT_NODE(look_inside)(const HT_REAL *values, const int32_t *neighbours,
                                    const uint32_t *links, int64_t inner, HT_REAL *rho, HT_REAL *u,
                                    HT_REAL *moment) {
  HT_REAL g[HT_Q];
  HT_NODE(arrive)(values, neighbours, links[inner], inner >> 6, (int)(inner & 63), g);
  HT_NODE(moments)(g, rho, &u[0], &u[1], &u[2]);
  HT_NODE(deviation)(g, *rho, u, moment);
}

/* What arrives at a port's node, with its condition applied; `share`: of the full inflow.
 *
 * Zou-He, made to hold at low viscosity (solver/README.md has the measured limits): what Zou-He
 * finds rather than prescribes (density at an inlet, normal velocity at an outlet) is averaged with
 * the node inside, and the values are rebuilt from density, velocity and the deviation from
 * equilibrium of the node inside. At the rim,
 * where some outgoing directions come back from the wall and Zou-He would feed a node with its own
 * values, what is found is the node inside alone (Guo, Zheng & Shi, Chin. Phys. 11 (2002) 366). */
HT_INLINE void HT_NODE(arrive_at_port)(const HT_REAL *values, const int32_t *neighbours,
                                       const uint32_t *links, const ht_port_node *port,
                                       double share, HT_REAL *g) {
  HT_REAL value = (HT_REAL)(port->value * share);
  HT_REAL rho, u[3], moment[6], rho_inside, u_inside[3];
  HT_NODE(look_inside)
  (values, neighbours, links, port->inner, &rho_inside, u_inside, moment);
  HT_REAL found = port->is_velocity ? rho_inside : u_inside[port->axis] * port->inward;
  if (!port->is_rim) {
    HT_NODE(arrive)
    (values, neighbours, links[port->node], port->node >> 6, (int)(port->node & 63), g);
    HT_NODE(zou_he)
    (g, port->axis, port->inward, port->is_velocity, value, (HT_REAL)port->tangent[0],
     (HT_REAL)port->tangent[1]);
    HT_NODE(moments)(g, &rho, &u[0], &u[1], &u[2]);
    found = (found + (port->is_velocity ? rho : u[port->axis] * port->inward)) / 2;
  }
  HT_NODE(along_port)(port, port->is_velocity ? value : found, u);
  HT_NODE(rebuild)(g, port->is_velocity ? found : value, u, moment);
}

/* Volume a step that crosses the links between a port's node and those inside, positive inward:
 * what is sent along the inward directions less what arrives along the outward ones. What a wall
 * sends back is in both sums and cancels. */
HT_INLINE double HT_NODE(port_flow)(const HT_REAL *values, const int32_t *neighbours,
                                    const uint32_t *links, const ht_port_node *port) {
  int64_t tile = port->node >> 6;
  int local = (int)(port->node & 63);
  HT_REAL g[HT_Q];
  double flow = 0;
  HT_NODE(arrive)(values, neighbours, links[port->node], tile, local, g);
  for (int q = 1; q < HT_Q; q++) {
    int inward = ht_c[q][port->axis] * port->inward;
    if (inward > 0) flow += (double)values[tile * HT_TILE_VALUES + 64 * q + local];
    if (inward < 0) flow -= (double)g[q];
  }
  return flow;
}
