/* Texts of a scan that identify a patient. */
#ifndef HT_SCAN_IDENTITY_H
#define HT_SCAN_IDENTITY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Patient of a DICOM scan, from its files, UTF-8; "" where they do not give it. */
typedef struct {
  char name[200]; /* "DOE^JANE" */
  char id[72];
  char birth_date[16], study_date[16]; /* YYYYMMDD */
  char accession[24];                  /* number of the request */
  char other_names[480];               /* one per line: earlier and other names, the mother's, the
                                          physicians' */
  char other_numbers[320]; /* one per line: other numbers, of the study, the telephone, the
                              address */
  char other_dates[128];   /* one per line: of the series, the acquisition, the content */
} ht_identity;

/* Study of a scan, and the frame of reference of its positions; "" where the files do not give
 * it. */
typedef struct {
  char uid[72];       /* of the study */
  char frame_uid[72]; /* of the frame of reference */
  char time[20];      /* HHMMSS.FFFFFF */
  char id[20];
  char sex[4]; /* of the patient */
} ht_study;

#ifdef __cplusplus
}
#endif
#endif
