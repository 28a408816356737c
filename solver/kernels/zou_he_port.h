/* The condition of ports and moving walls, shared by both backends, and a single node's step (pull,
 * walls, condition) from the tiled layout [tiles][directions][64], for the CPU's port nodes and for
 * reading fields. Included after node.h with HT_REAL and HT_NODE(name) defined. */

/* Gathers the values that arrive at node `local` of `tile`; walls bounce back. */
HT_INLINE void HT_NODE(arrive)(const HT_REAL *values, int directions, const int32_t *neighbours,
                               uint32_t links, int64_t tile, int local, HT_REAL *g) {
  const HT_REAL *own = values + tile * HT_TILE_VALUES(directions);
  g[0] = own[local];
  for (int q = 1; q < directions; q++) {
    int slot, from;
    ht_pull_source(local, q, &slot, &from);
    if ((links >> q) & 1) {
      g[q] = own[64 * ht_opposite(q) + local];
    } else {
      int64_t there = neighbours[HT_TILE_NEIGHBOURS * tile + slot];
      g[q] = values[there * HT_TILE_VALUES(directions) + 64 * q + from];
    }
  }
}

/* Half-way bounce-back from a wall that moves (Ladd, J. Fluid Mech. 271 (1994) 285): the value that
 * left along -c comes back with 6 w c.u added. */
HT_INLINE void HT_NODE(push_wall)(const ht_port_node *port, int directions, HT_REAL share,
                                  HT_REAL *g) {
  for (int q = 1; q < directions; q++) {
    if (!((port->moving_links >> q) & 1)) continue;
    HT_REAL along = 0;
    for (int a = 0; a < 3; a++) along += ht_c[q][a] * (HT_REAL)port->wall_velocity[a];
    g[q] += (HT_REAL)(6 * ht_weight(q, directions)) * share * along;
  }
}

/* The velocity of a port as that of a permeable wall half a spacing outside of its nodes: half-way
 * bounce-back with the velocity where the link meets that plane; 0 on the wall around it. Away
 * from the rim the momentum that comes in is exactly the prescribed one. */
HT_INLINE void HT_NODE(push_port)(const ht_port_node *port, ht_port_asked asked, int directions,
                                  HT_REAL *g) {
  const int first = port->axis == 0, second = port->axis == 2 ? 1 : 2;
  for (int q = 1; q < directions; q++) {
    if (!ht_comes_in(port->plane, q) || !((port->moving_links >> q) & 1)) continue;
    HT_REAL along = 0, speed = (HT_REAL)asked.speed;
    speed -= (HT_REAL)0.5 *
             (ht_c[q][first] * (HT_REAL)asked.slope[0] + ht_c[q][second] * (HT_REAL)asked.slope[1]);
    for (int a = 0; a < 3; a++) along += ht_c[q][a] * (HT_REAL)port->along[a];
    g[q] += (HT_REAL)(6 * ht_weight(q, directions)) * speed * along;
  }
}

/* The density where the velocity is prescribed: that of Zou & He, averaged with that of the node
 * inside; at the rim the latter alone. */
HT_INLINE HT_REAL HT_NODE(find_density)(const ht_port_node *port, int model, const HT_REAL *g,
                                        const HT_REAL *u, const HT_REAL *moment,
                                        HT_REAL rho_inside) {
  if (port->is_rim) return rho_inside;
  return (rho_inside + HT_NODE(zou_he_density)(g, port->plane, model, u, moment)) / 2;
}

/* The component along the port's direction of a momentum, as a multiple of `along`; *square: that
 * of the length of `along`. */
HT_INLINE HT_REAL HT_NODE(project)(const ht_port_node *port, const HT_REAL *j, HT_REAL *square) {
  HT_REAL found = 0;
  *square = 0;
  for (int a = 0; a < 3; a++) {
    HT_REAL along = (HT_REAL)port->along[a];
    *square += along * along;
    found += j[a] * along;
  }
  return found / *square;
}

/* The density where the pressure is prescribed; j: the momentum of the node inside. Where blood
 * comes in through a port with is_total, the total pressure is prescribed:
 *   p = P - density u^2 / 2,   rho = 3 p,   u the velocity along the port's direction
 * The blood brings in no more energy than P, however fast it comes; at a prescribed p it brings
 * density u^2 / 2 more, and the flow can feed on it (the backflow divergence of finite elements:
 * Moghadam et al., Comput. Mech. 48 (2011) 277). */
HT_INLINE HT_REAL HT_NODE(static_density)(const ht_port_node *port, int model, HT_REAL density,
                                          const HT_REAL *j) {
  if (!port->is_total) return density;
  HT_REAL square, inward = HT_NODE(project)(port, j, &square);
  if (!(inward > 0)) return density;
  HT_REAL mass = HT_MODEL_COMPRESSIBILITY(model) ? 1 + density : (HT_REAL)1;
  return density - (HT_REAL)1.5 * inward * inward * square / mass;
}

/* The momentum where the density is prescribed; on entry j is that of the node inside. On a face it
 * has the port's direction; its size is that of Zou & He, averaged with the component of the node
 * inside along that direction; at the rim the latter alone. (Not the component of the node inside
 * across the face: on a port oblique to the vessel that returns more momentum than it takes, and
 * the rim amplifies itself.) On edges and corners of such planes it is that of the node inside. */
HT_INLINE void HT_NODE(find_momentum)(const ht_port_node *port, int model, const HT_REAL *g,
                                      HT_REAL density, const HT_REAL *moment, HT_REAL *j) {
  if (port->is_edge) return;
  const HT_REAL still[3] = {0, 0, 0};
  HT_REAL square, found = HT_NODE(project)(port, j, &square); /* inward: that of `along` is 1 */
  if (!port->is_rim)
    found = (found + density - HT_NODE(zou_he_density)(g, port->plane, model, still, moment)) / 2;
  for (int a = 0; a < 3; a++) j[a] = found * (HT_REAL)port->along[a];
}

/* Applies the condition of a port to the values that arrive at its node, g; `inside`: the values
 * that arrive at the node inside (inward of all its planes).
 *
 * A sliding wall and an inlet with cumulants bounce back (push_wall, push_port). All others have
 * Zou-He, stabilised for low viscosity (docs/notes/solver/ports.md has the measured limits): the
 * unknown that Zou-He finds (density at an inlet, normal velocity at an outlet) is averaged with
 * that of the node inside, and the values are rebuilt from density, momentum and the deviation from
 * equilibrium of the node inside. At the rim some outgoing directions come back from the wall, so
 * that Zou-He would use a node's own values: there the unknown is that of the node inside alone
 * (Guo, Zheng & Shi, Chin. Phys. 11 (2002) 366). Where a plane of velocity meets one of pressure
 * nothing is unknown. */
HT_INLINE void HT_NODE(set_port)(const ht_port_node *port, ht_port_asked asked, int model,
                                 const HT_REAL *inside, HT_REAL *g) {
  if (port->kind == HT_PORT_MOVING_WALL) {
    HT_NODE(push_wall)(port, HT_MODEL_DIRECTIONS(model), (HT_REAL)asked.speed, g);
    return;
  }
  if (ht_port_bounces(port, asked)) {
    HT_NODE(push_port)(port, asked, HT_MODEL_DIRECTIONS(model), g);
    return;
  }
  HT_REAL rho, j[3], u[3], moment[6];
  HT_NODE(moments)(inside, model, &rho, &j[0], &j[1], &j[2]);
  HT_NODE(deviation_of)(inside, model, rho, j, moment);
  for (int a = 0; a < 3; a++) u[a] = (HT_REAL)(asked.speed * port->along[a]);
  if (port->has_density)
    rho = HT_NODE(static_density)(port, model, (HT_REAL)asked.density, j);
  else
    rho = HT_NODE(find_density)(port, model, g, u, moment, rho);
  if (port->kind == HT_PORT_VELOCITY)
    for (int a = 0; a < 3; a++) j[a] = HT_MODEL_COMPRESSIBILITY(model) ? (1 + rho) * u[a] : u[a];
  else
    HT_NODE(find_momentum)(port, model, g, rho, moment, j);
  HT_NODE(rebuild_of)(g, model, rho, j, moment);
}

/* The values that arrive at a port's node, with its condition applied. */
HT_INLINE void HT_NODE(arrive_at_port)(const HT_REAL *values, const int32_t *neighbours,
                                       const uint32_t *links, const ht_port_node *port,
                                       ht_port_asked asked, int model, HT_REAL *g) {
  HT_REAL inside[HT_Q_MOST];
  const int directions = HT_MODEL_DIRECTIONS(model);
  HT_NODE(arrive)
  (values, directions, neighbours, links[port->inner], port->inner >> 6, (int)(port->inner & 63),
   inside);
  HT_NODE(arrive)
  (values, directions, neighbours, links[port->node], port->node >> 6, (int)(port->node & 63), g);
  HT_NODE(set_port)(port, asked, model, inside, g);
}
