/* A single node's step of a plane flow, shared by both backends: pull, walls and port condition.
 * Used for port nodes and for reading fields. Included by plane_nodes.h with HT_REAL, HT_NODE(name)
 * of nodes.h, and for storage HT_STORE, HT_LOAD(value), HT_KEEP(value), HT_PLANE(name); no include
 * guard on purpose. */

/* Gathers the 9 values that arrive at a node (tile * 256 + local); walls bounce back. */
HT_INLINE void HT_PLANE(plane_arrive)(const HT_STORE *values, const int32_t *neighbours,
                                      const uint16_t *links, int64_t node, HT_REAL *g) {
  int64_t tile = node / HT_PLANE_NODES;
  int local = (int)(node % HT_PLANE_NODES), x = local & 15, y = local >> 4;
  const HT_STORE *own = values + tile * HT_PLANE_VALUES + local;
  g[0] = HT_LOAD(own[0]);
  for (int q = 1; q < HT_D2Q9_Q; q++) {
    int xs = x - ht_d2q9_c[q][0], ys = y - ht_d2q9_c[q][1];
    if ((links[node] >> q) & 1) {
      g[q] = HT_LOAD(own[HT_PLANE_NODES * ht_opposite(q)]);
    } else {
      int slot = ht_plane_slot(xs) + 3 * ht_plane_slot(ys);
      int64_t there = neighbours[HT_PLANE_NEIGHBOURS * tile + slot];
      int from = (xs & 15) + 16 * (ys & 15);
      g[q] = HT_LOAD(values[there * HT_PLANE_VALUES + HT_PLANE_NODES * q + from]);
    }
  }
}

/* The values that arrive at a port's node, with its condition applied. */
HT_INLINE void HT_PLANE(plane_arrive_at_port)(const HT_STORE *values, const int32_t *neighbours,
                                              const uint16_t *links, const ht_plane_port_node *port,
                                              double share, int compressibility, HT_REAL *g) {
  HT_REAL inside[HT_D2Q9_Q];
  HT_PLANE(plane_arrive)(values, neighbours, links, port->node, g);
  if (port->inside >= 0) HT_PLANE(plane_arrive)(values, neighbours, links, port->inside, inside);
  HT_NODE(plane_set_port)(port, share, compressibility, inside, g);
}

/* The values that arrive at a node; `port`: NULL where the node is of no port. */
HT_INLINE void HT_PLANE(plane_arrive_any)(const HT_STORE *values, const int32_t *neighbours,
                                          const uint16_t *links, int64_t node,
                                          const ht_plane_port_node *port, double share,
                                          int compressibility, HT_REAL *g) {
  if (port)
    HT_PLANE(plane_arrive_at_port)(values, neighbours, links, port, share, compressibility, g);
  else
    HT_PLANE(plane_arrive)(values, neighbours, links, node, g);
}

/* One step of a port's node, from one copy to the other. */
HT_INLINE void HT_PLANE(plane_step_port)(const HT_STORE *source, HT_STORE *target,
                                         const int32_t *neighbours, const uint16_t *links,
                                         const ht_plane_port_node *port, double share, int model,
                                         double omega) {
  HT_REAL g[HT_D2Q9_Q];
  HT_PLANE(plane_arrive_at_port)
  (source, neighbours, links, port, share, HT_MODEL_COMPRESSIBILITY(model), g);
  HT_NODE(d2q9_relax)(g, model, (HT_REAL)omega);
  HT_STORE *out =
      target + port->node / HT_PLANE_NODES * HT_PLANE_VALUES + port->node % HT_PLANE_NODES;
  for (int q = 0; q < HT_D2Q9_Q; q++) out[HT_PLANE_NODES * q] = HT_KEEP(g[q]);
}
