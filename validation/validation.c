#include "validation/validation.h"
#include "bench/papers/plane_flows/plane_flows.h"
#include "validation/flows/validation_flows.h"
#include <string.h>

static const ht_validation_flow flows[] = {
    {"channel", "plane Poiseuille flow, with velocity and with pressure at the inlet",
     "analytic solution", "10 s", "20 s", ht_validate_channel, 0},
    {"plane-cavity", "square cavity with a sliding lid, Re 100 to 5000", "Ghia, Ghia & Shin (1982)",
     "2 min", "2 min", ht_validate_plane_cavity, 0},
    {"cube-cavity", "cubic cavity with a sliding lid, Re 100, 400, 1000",
     "Albensoeder & Kuhlmann (2005); finer grids", "5 min", "5 min", ht_validate_cube_cavity, 0},
    {"cylinder", "flow past a cylinder, Re 20, 40, 100: drag, wake, Strouhal number",
     "Schafer & Turek (1996) and others", "5 min", "5 min", ht_validate_cylinder, 0},
    {"pipe", "Poiseuille flow in a pipe at 0, 17, 45 degrees: velocity, wall shear stress",
     "analytic solution", "5 min", "5 min", ht_validate_pipe, 1},
    {"womersley", "oscillating flow in a pipe, alpha 4, 8, 12: velocity, wall shear stress",
     "Womersley's solution", "10 min", "10 min", ht_validate_womersley, 1},
    {"slow-pipe", "a carotid's beat in a long, slow pipe: flow out, wall shear stress at both ends",
     "Womersley's solution", "3 min", "1 min", ht_validate_slow_pipe, 1},
    {"windkessel", "a pipe that ends in a 3-element Windkessel: pressure at the outlet",
     "its equation", "2 min", "2 min", ht_validate_windkessel, 1},
    {"carreau", "shear-thinning blood (Carreau-Yasuda) in a pipe: pressure gradient, velocity",
     "numerical solution across the pipe", "4 min", "2 min", ht_validate_carreau, 1},
    {"stenosis", "pressure drop of a smooth stenosis at Re 2, of a blunt one at Re 100",
     "lubrication theory; the correlation of Seeley & Young (1976)", "5 min", "2 min",
     ht_validate_stenosis, 1},
    {"fda-nozzle", "the FDA's nozzle with sudden expansion, throat Reynolds number 500",
     "velocimetry of two laboratories", "20 min", "10 min", ht_validate_fda_nozzle, 1},
    {"fda-turbulent",
     "the same nozzle, throat Reynolds number 5000, or --reynolds: means over time",
     "velocimetry and pressure of four laboratories", "3 min", "11 min", ht_validate_fda_turbulent,
     1},
    {"jet-slab", "a round jet in a periodic slab, cell Reynolds number 100: whether it stays round",
     "the exact flow: none across the jet", "5 s", "5 s", ht_validate_jet_slab, 0},
    {"taylor-green", "the Taylor-Green vortex at Re 1600: decay of its energy",
     "a spectral computation on 512^3", "1 min", "3 min", ht_validate_taylor_green, 0},
    {"turbulent-pipe",
     "a periodic pipe at Re 5300, along an axis and at 45 degrees (small size: laminar, Re 50)",
     "El Khoury et al. (2013); 64 / Re", "5 s", "15 min", ht_validate_turbulent_pipe, 0},
};
enum { FLOWS = sizeof flows / sizeof *flows };

const ht_validation_flow *ht_validation_number(int number) {
  return number >= 0 && number < FLOWS ? &flows[number] : NULL;
}

const ht_validation_flow *ht_validation_find(const char *name) {
  for (int i = 0; i < FLOWS; i++)
    if (strcmp(flows[i].name, name) == 0) return &flows[i];
  return NULL;
}
