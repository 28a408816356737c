/* Labels of a volume, and what it has. */
#ifndef HT_LABELLED_TYPES_H
#define HT_LABELLED_TYPES_H

/* Labels. In MR bone is dark and counts as background; so does blood without contrast agent. */
enum {
  HT_LABEL_BACKGROUND,
  HT_LABEL_ARTERY, /* blood as bright as the scan's contrast makes it, whatever holds it */
  HT_LABEL_VESSEL, /* clearly dimmer blood, where an artery is in view */
  HT_LABEL_HARD,   /* bone of an X-ray scan; calcium, metal */
  HT_LABELS,
  HT_LABEL_EITHER = 254, /* blood of which nobody can say whether it is the one or the other */
  HT_LABEL_UNSEEN = 255, /* what nobody can tell from what is around it */
};

/* Contents of a volume, as bits. */
enum {
  HT_LABELLED_CT = 1 << 0,
  HT_LABELLED_TOF = 1 << 1,
  HT_LABELLED_MRA = 1 << 2, /* MR with contrast agent */
  HT_LABELLED_3DRA = 1 << 3,
  HT_LABELLED_ANY = 1 << 4, /* brightness of each tissue by chance */
  HT_LABELLED_NO_CONTRAST = 1 << 5,
  HT_LABELLED_HEAD = 1 << 6,
  HT_LABELLED_NECK = 1 << 7,
  HT_LABELLED_TRUNK = 1 << 8,
  HT_LABELLED_LIMB = 1 << 9,
  HT_LABELLED_BLOBS = 1 << 10, /* no part of the body: random lumps */
  HT_LABELLED_VEIN = 1 << 11,
  HT_LABELLED_COMPANION = 1 << 12, /* a vein that touches its artery or nearly so */
  HT_LABELLED_SAC = 1 << 13,
  HT_LABELLED_NARROWING = 1 << 14,
  HT_LABELLED_CALCIUM = 1 << 15,
  HT_LABELLED_STENT = 1 << 16,
  HT_LABELLED_CLIP = 1 << 17,
  HT_LABELLED_WIRE = 1 << 18,
  HT_LABELLED_BONE = 1 << 19,
  HT_LABELLED_TABLE = 1 << 20,
  HT_LABELLED_STREAKS = 1 << 21,
  HT_LABELLED_MASKED = 1 << 22,  /* the scan ends at an ellipsoid */
  HT_LABELLED_CUT = 1 << 23,     /* the background was removed: one value below a level, and bone */
  HT_LABELLED_CHAMBER = 1 << 24, /* a heart with its chambers */
  HT_LABELLED_KINDS = 25,
};

enum { HT_LABELLED_PER_VOXEL = 32, HT_LABELLED_EDGE_MIN = 32, HT_LABELLED_EDGE_MAX = 256 };

#endif
