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

/* The same at a port, with its condition applied; `share`: of the full inflow. */
HT_INLINE void HT_NODE(arrive_at_port)(const HT_REAL *values, const int32_t *neighbours,
                                       const uint32_t *links, const ht_port_node *port,
                                       double share, HT_REAL *g) {
  HT_NODE(arrive)
  (values, neighbours, links[port->node], port->node >> 6, (int)(port->node & 63), g);
  double value = port->is_velocity ? port->value * share : port->value;
  HT_NODE(zou_he)
  (g, port->axis, port->inward, port->is_velocity, (HT_REAL)value, (HT_REAL)port->tangent[0],
   (HT_REAL)port->tangent[1]);
}
