/* The CUDA backend's storage of a lattice, built on the host; also counted without a GPU.
 *
 * Nodes live in blocks of 64 slots, values [blocks][directions][64]. A tile with enough fluid is a
 * block of its own, its node n in slot ht_slot(layout, q, n) of direction q; the fluid nodes of all
 * other tiles are packed one after the other into blocks of their own, in tile order. So every tile
 * costs in proportion to its fluid, and a tile among full tiles needs only the numbers of its
 * neighbours. The other sources of a node (walls, packed neighbours) are computed here, once, as
 * addresses:
 *   - a tile block without any: all its sources are in the blocks of its row;
 *   - a tile block with some: a word per node (bit 0: it is fluid; bit q: direction q has an
 *   address
 *     of its own), and these addresses: first those of nodes 0 to 31, then those of the others, of
 *     these halves direction by direction, of a direction node by node;
 *   - a packed block: an address a moving direction and node.
 * An address is the place of a value in the array (half-way bounce-back: the node's own, of the
 * opposite direction), 32 bits. In place of that of a link of interpolated walls (wall_links.h),
 * which is half-way, too, the table has what the link does: ht_link_code().
 *
 * The values of the ports' nodes, which no block finds, lie next to the blocks, in `beside` more of
 * them, stored as packed ones: port node p in slot p % 64 of block first_beside + p / 64. A node
 * that pulls from a port's node has an address there.
 *
 * The links of walls have numbers of their own here: block by block, in a block half by half, in a
 * half by opposite pairs of directions, in a pair node by node (a node has one link of a pair at
 * most). */
#ifndef HT_BLOCKS_H
#define HT_BLOCKS_H

#include "solver/lattice/backend.h"
#include "solver/cuda/blocks/block_slot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HT_BLOCK_ROW = 32,   /* numbers a block: 27 neighbouring blocks, as a tile's; and these: */
  HT_BLOCK_MASKS = 27, /* number among the blocks with links; -1: it has none */
  HT_BLOCK_WALLS = 28, /* its tile's number among those with links; -1: none, or packed */
  HT_BLOCK_FIRST_LINK = 29,
  HT_BLOCK_HALF = 30, /* of nodes 0 to 31: links, and above 16 bits addresses in `exception` */
  HT_BLOCK_KIND = 31,
  HT_KIND_PLAIN = -1,  /* kind: neighbours only; >= 0: place of its words in `exception` */
  HT_KIND_PACKED = -2, /* kind <= this: packed, list number HT_KIND_PACKED - kind */
  HT_BLOCK_FILL = 48   /* the backend's: fluid nodes of a tile worth its own block (measured) */
};

typedef struct {
  int64_t blocks;
  int64_t edge, own;   /* of a rank's part (tables->send): blocks [0, edge) have what others read
                          of, [own, blocks) are its border; else 0 and all */
  int32_t *row;        /* [blocks][HT_BLOCK_ROW] */
  uint32_t *exception; /* for each block that has them: 64 words, then the addresses */
  int64_t exceptions;  /* length of the above */
  uint32_t *list;      /* [lists][directions - 1][64] */
  int64_t lists;
  int32_t *list_tile; /* [lists][64] the node's tile among those with links; -1: none; or NULL */
  uint32_t *link;     /* [wall_links] the tables' number of each link */
  uint64_t *mask;  /* [blocks with links][directions] bit n: node n gets the direction from one */
  int64_t masks;   /* blocks with links */
  uint32_t *place; /* [tiles][64] block * 64 + node of a fluid node; HT_NO_PLACE: solid */
  int64_t reach;   /* largest distance, in blocks, between the blocks of two nodes side by side */
  int64_t first_beside, beside; /* blocks of the ports' values: number of the first, and how many */
  uint8_t *has_port;            /* [tiles] 1: with a port's node; NULL: there are none */
  int paired;                   /* the layout, see ht_slot */
  int directions;               /* 19 or 27 */
} ht_blocks;

/* Codes in place of an address, beyond all addresses: the link of the second of a pair of
 * directions (1, 2), (3, 4), ...; that blends in f_q(x) (wall_links.h); its weight's size in half
 * precision, below 1, so that it fits into 14 bits. */
#define HT_LINK_CODES  0xffff0000u
#define HT_LINK_SECOND 0x8000u
#define HT_LINK_FAR    0x4000u
#define HT_LINK_WEIGHT 0x3fffu

/* Addresses of a packed block. */
#define HT_LIST_VALUES(directions) (((directions)-1) * HT_TILE_NODES)

#define HT_NO_PLACE 0xffffffffu

/* Builds the blocks. `fill`: fluid nodes from which a tile is a block of its own. HT_ERR_MEMORY. */
ht_status ht_blocks_build(const ht_lattice_tables *tables, int paired, int fill, ht_blocks *blocks);
/* Counts the blocks of a tiling without building them; *packed_nodes: the nodes in packed blocks.
 */
int64_t ht_blocks_count(const ht_tiling *tiling, int fill, int64_t *packed_nodes);

/* Checks that the blocks fit. HT_ERR_MEMORY: more blocks than 32 bits address. Reads the tiling's
 * `inside` and numbers only. */
ht_status ht_blocks_fit(const ht_tiling *tiling, int64_t port_nodes, int directions, int fill);

void ht_blocks_free(ht_blocks *blocks);

/* Address of direction q of the node at `place` in the blocks. */
uint32_t ht_blocks_address(const ht_blocks *blocks, uint32_t place, int q);

/* Address of direction q of port node p, next to the blocks. */
HT_BOTH uint32_t ht_address_beside(uint32_t first_beside, int directions, int64_t p, int q) {
  return (first_beside + (uint32_t)(p >> 6)) * (uint32_t)HT_TILE_VALUES(directions) +
         (uint32_t)(64 * q + (p & 63));
}

/* Returns the address at which a step reads direction q of a fluid node (tile * 64 + local): next
 * to the blocks for a port's node, else in them. */
uint32_t ht_blocks_read_address(const ht_lattice_tables *tables, const ht_blocks *blocks,
                                int64_t node, int q);

/* Returns the code of the link that brings direction q. */
uint32_t ht_link_code(const ht_wall_link *link, int q);

/* The node (tile * 64 + local) and the direction that a fluid node pulls direction q from: the node
 * itself, of the opposite direction, where a wall is. */
void ht_blocks_source(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node, int q,
                      int64_t *from, int *direction);

/* Returns, for a fluid node where there are interpolated walls, the number, in the order of the
 * blocks, of the link that brings direction q to it; ht_blocks_wall_tile(): the number of its tile
 * among those with links. -1: there is none. */
int64_t ht_blocks_link(const ht_blocks *blocks, int64_t node, int q);
int32_t ht_blocks_wall_tile(const ht_blocks *blocks, int64_t node);

/* A step within one array moves the state by `shift` blocks, in launches of `portion` blocks,
 * beginning on the side that it moves to. Compact: only portions up to the last but one before it
 * read the values that a portion overwrites. Else, and where compact saves nothing, both are all
 * blocks, shift with those next to them. */
void ht_blocks_split(const ht_blocks *blocks, int compact, int64_t *portion, int64_t *shift);

/* Moves the ports' values to begin at block number `first_beside`, in all addresses; at first they
 * begin after the last block. HT_ERR_MEMORY: more than 32 bits address. */
ht_status ht_blocks_move_beside(const ht_tiling *tiling, int64_t first_beside, ht_blocks *blocks);

#ifdef __cplusplus
}
#endif
#endif
