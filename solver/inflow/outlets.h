/* The models of the outlets: shares of the flow, and the 3-element Windkessel. */
#ifndef HT_OUTLETS_H
#define HT_OUTLETS_H

#include "core/vessel/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Condition at the outlets: their pressure; or a share of the inflow, by area, by Murray's law or
 * as given, at all outlets except the widest, which stays at its pressure; or the pressure of a
 * 3-element Windkessel at the measured flow. */
typedef enum {
  HT_OUTLETS_PRESSURE = 0,
  HT_OUTLETS_AREA,
  HT_OUTLETS_MURRAY,
  HT_OUTLETS_FRACTIONS,
  HT_OUTLETS_WINDKESSEL
} ht_outlet_model;
/* The names in case files, options and results, in the order of the values; NULL at the end. */
extern const char *const ht_outlet_words[];

typedef struct {
  ht_outlet_model model;
  double murray_exponent; /* of the diameter */
  double density_kg_m3;
  /* Values for outlets with a Windkessel and no values of their own; 0: not given. */
  double mean_pressure_pa, compliance_m3_pa, wave_speed_m_s;
} ht_outlet_settings;

/* Area of a port's section across the vessel, m2: of the opening where its radius is known, else
 * that of the port's nodes. */
double ht_port_area_m2(const ht_domain *domain, int port);

/* The share of the outflow of each outlet, [ports], 0 for inlets; they add up to 1.
 *   HT_OUTLETS_AREA       share ~ area
 *   HT_OUTLETS_MURRAY     share ~ diameter^murray_exponent: Murray's law, 3 (Murray, Proc. Natl.
 *                         Acad. Sci. USA 12 (1926) 207)
 *   HT_OUTLETS_FRACTIONS  flow_fraction of the openings
 * HT_ERR_CASE: a fraction is missing, or they do not add up to 1 within 0.001. */
ht_status ht_outlet_shares(const ht_domain *domain, const ht_outlet_settings *settings,
                           double share[HT_OPENINGS_MAX]);

/* The outlet that stays at pressure where the others have their flow prescribed: the widest; -1
 * where there is none. */
int ht_widest_outlet(const ht_domain *domain);

/* Proximal resistance in series with a parallel pair of compliance and distal resistance
 * (Westerhof, Lankhaar & Westerhof, Med. Biol. Eng. Comput. 47 (2009) 131):
 *   P = Pv + Rp Q + S,   C dS/dt = Q - S / Rd,   Pv: the opening's pressure_pa */
typedef struct {
  double proximal_pa_s_m3, compliance_m3_pa, distal_pa_s_m3;
  double stored_pa; /* S */
} ht_windkessel;

/* The Windkessel of an outlet, at rest: the opening's own values; where it has none, values fitted
 * to mean_pressure_pa, compliance_m3_pa and wave_speed_m_s of the settings, by its share of the
 * mean flow (`flow_m3_s`, all inlets):
 *   Rp + Rd = (mean pressure - Pv) / (share * flow),   Rp = density * wave speed / area (impedance
 *   of a long vessel),   C = share * compliance.
 * HT_ERR_CASE: a value is missing, not above 0, or Rp is above Rp + Rd. */
ht_status ht_windkessel_make(const ht_domain *domain, int port, const ht_outlet_settings *settings,
                             double share, double flow_m3_s, ht_windkessel *windkessel);

/* One step of the ODE (implicit Euler): stable for any step. */
void ht_windkessel_step(ht_windkessel *windkessel, double flow_m3_s, double dt_s);

/* Rp Q + S. */
double ht_windkessel_pressure(const ht_windkessel *windkessel, double flow_m3_s);

#ifdef __cplusplus
}
#endif
#endif
