/* export/: results as files that 3D Slicer, ParaView and a person can open.
 *
 * wall.h: the wall's triangles and the load on them. result_files.h: images and VTK files.
 * series_files.h: those of a beat's samples. pictures.h: PNG pictures. dicom_out.h: results as
 * DICOM objects. plain_pdf.h: a document.
 */
#ifndef HT_EXPORT_H
#define HT_EXPORT_H

#include "export/dicom/dicom_out.h"
#include "export/pictures/pictures.h"
#include "export/dicom/plain_pdf.h"
#include "export/files/result_files.h"
#include "export/files/series_files.h"
#include "export/wall/wall.h"

#endif
