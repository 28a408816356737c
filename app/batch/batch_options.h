/* Options of a batch: the user's requests, and the resources of the machine. */
#ifndef HT_BATCH_OPTIONS_H
#define HT_BATCH_OPTIONS_H

/* Choice of the ended cases that run again. */
typedef enum { HT_RETRY_NONE, HT_RETRY_FAILED, HT_RETRY_ALL } ht_batch_retry;

typedef struct {
  const char *folder;  /* folder of the results */
  const char *program; /* path of hemotile */
  int jobs;            /* cases at a time on this machine; 0: by cores and GPUs */
  int force;           /* each run gets --force */
  int follow_umask;    /* each run gets --follow-umask */
  int restart;         /* each run gets --restart: checkpoints are not used */
  ht_batch_retry retry;
  const char *slurm; /* options of sbatch: the cases run as a job array; NULL: on this machine */
  int own_colours;   /* 1: each case's pictures have colour bars of their own */
} ht_batch_options;

/* Number of cases that run at a time, and the share of each. */
enum { HT_BATCH_GPUS_MAX = 16, HT_BATCH_GPU_NAME = 64 };
typedef struct {
  int jobs, threads, gpus;
  char gpu[HT_BATCH_GPUS_MAX][HT_BATCH_GPU_NAME]; /* as CUDA_VISIBLE_DEVICES names them */
  double memory_gb;                               /* 0: not limited */
} ht_batch_share;

#endif
