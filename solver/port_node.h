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

/* Half-way bounce-back from a wall that moves (Ladd, J. Fluid Mech. 271 (1994) 285): what left
 * along -c comes back with 6 w c.u more. */
HT_INLINE void HT_NODE(push_wall)(const ht_port_node *port, HT_REAL share, HT_REAL *g) {
  for (int q = 1; q < HT_Q; q++) {
    if (!((port->moving_links >> q) & 1)) continue;
    HT_REAL along = 0;
    for (int a = 0; a < 3; a++) along += ht_c[q][a] * (HT_REAL)port->wall_velocity[a];
    g[q] += (HT_REAL)(q < 7 ? 6.0 / 18 : 6.0 / 36) * share * along;
  }
}

/* Puts the condition of a port into what arrives at its node, g; `inside`: what arrives at the node
 * inside; `share`: of the full inflow. Velocities are momenta here (quasi-compressible: j = (1 +
 * rho) u; incompressible: the same).
 *
 * Zou-He, made to hold at low viscosity (solver/README.md has the measured limits): what Zou-He
 * finds rather than prescribes (density at an inlet, normal velocity at an outlet) is averaged with
 * the node inside, and the values are rebuilt from density, velocity and the deviation from
 * equilibrium of the node inside. At the rim, where some outgoing directions come back from the
 * wall and Zou-He would feed a node with its own values, what is found is the node inside alone
 * (Guo, Zheng & Shi, Chin. Phys. 11 (2002) 366). */
HT_INLINE void HT_NODE(set_port)(const ht_port_node *port, double share, int compressibility,
                                 const HT_REAL *inside, HT_REAL *g) {
  if (port->kind == HT_PORT_MOVING_WALL) {
    HT_NODE(push_wall)(port, (HT_REAL)share, g);
    return;
  }
  int is_velocity = port->kind == HT_PORT_VELOCITY;
  HT_REAL value = (HT_REAL)(port->value * share);
  HT_REAL rho, j[3], moment[6], rho_inside, j_inside[3];
  HT_NODE(moments)(inside, &rho_inside, &j_inside[0], &j_inside[1], &j_inside[2]);
  HT_NODE(deviation_of)(inside, compressibility, rho_inside, j_inside, moment);
  HT_REAL found = is_velocity ? rho_inside : j_inside[port->axis] * port->inward;
  if (!port->is_rim) {
    HT_REAL asked =
        is_velocity ? HT_NODE(inward_momentum)(g, compressibility, port->axis, port->inward, value)
                    : value;
    HT_NODE(zou_he)
    (g, port->axis, port->inward, is_velocity, asked, (HT_REAL)port->tangent[0],
     (HT_REAL)port->tangent[1]);
    HT_NODE(moments)(g, &rho, &j[0], &j[1], &j[2]);
    found = (found + (is_velocity ? rho : j[port->axis] * port->inward)) / 2;
  }
  HT_REAL density = is_velocity ? found : value;
  HT_REAL along = is_velocity ? value * (compressibility ? 1 + density : 1) : found;
  HT_NODE(along_port)(port, along, j);
  HT_NODE(rebuild_of)(g, compressibility, density, j, moment);
}

/* What arrives at a port's node, with its condition applied. */
HT_INLINE void HT_NODE(arrive_at_port)(const HT_REAL *values, const int32_t *neighbours,
                                       const uint32_t *links, const ht_port_node *port,
                                       double share, int compressibility, HT_REAL *g) {
  HT_REAL inside[HT_Q];
  HT_NODE(arrive)
  (values, neighbours, links[port->inner], port->inner >> 6, (int)(port->inner & 63), inside);
  HT_NODE(arrive)
  (values, neighbours, links[port->node], port->node >> 6, (int)(port->node & 63), g);
  HT_NODE(set_port)(port, share, compressibility, inside, g);
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
