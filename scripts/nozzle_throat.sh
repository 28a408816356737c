#!/usr/bin/env bash
# Computes the velocity on the axis of the FDA's nozzle up to the end of its throat, at throat Reynolds number
# 5000, by another method: the steady axisymmetric Navier-Stokes equations in finite volumes
# (OpenFOAM, Debian's package openfoam), second order. FOLDER gets a case for each number of cells
# over the radius; the rows of cases/reference/fda_nozzle_re5000_axisymmetric.csv go to the output.
#   apt-get install openfoam
#   bash scripts/nozzle_throat.sh FOLDER 60 90      # some 10 minutes
# The throat goes on for 20 mm in place of the expansion, so that there is no jet.
set -eu
export WM_PROJECT_DIR=${WM_PROJECT_DIR:-/usr/share/openfoam}
folder=$1
shift
places=(-0.088 -0.064 -0.056 -0.052 -0.048 -0.045 -0.042 -0.036 -0.03 -0.02 -0.014 -0.008)

header() { echo "FoamFile { version 2.0; format ascii; class $1; object $2; }"; }

# A wedge of 5 degrees; stations along the axis in mm: pipe, cone, throat, its extension.
mesh() {
  header dictionary blockMeshDict
  awk -v n="$1" 'BEGIN {
    split("-100 -62.685 -40 0 20", z); split("6 6 2 2 2", r); split("1 1.6667 3.3333 1", cells)
    split("0.2 0.25 6 1", grading); angle = atan2(0, -1) / 72
    print "scale 0.001;\nvertices ("
    for (s = 1; s <= 5; s++) {
      printf "(0 0 %g)\n", z[s]
      for (side = -1; side <= 1; side += 2)
        printf "(%.12g %.12g %g)\n", r[s] * cos(angle), side * r[s] * sin(angle), z[s]
    }
    print ");\nblocks ("
    for (s = 0; s < 4; s++) {
      a = 3 * s
      printf "hex (%d %d %d %d %d %d %d %d) (%d 1 %d) simpleGrading (0.1 1 %g)\n", a, a + 1, a + 2, a,
             a + 3, a + 4, a + 5, a + 3, n, n * cells[s + 1], grading[s + 1]
      front = front sprintf("(%d %d %d %d) ", a, a + 1, a + 4, a + 3)
      back = back sprintf("(%d %d %d %d) ", a, a + 2, a + 5, a + 3)
      wall = wall sprintf("(%d %d %d %d) ", a + 1, a + 2, a + 5, a + 4)
      axis = axis sprintf("(%d %d %d %d) ", a, a + 3, a + 3, a)
    }
    print ");\nedges ();\nboundary (\nfront { type wedge; faces (" front "); }"
    print "back { type wedge; faces (" back "); }\nwall { type wall; faces (" wall "); }"
    print "inlet { type patch; faces ((0 1 2 0)); }\noutlet { type patch; faces ((12 13 14 12)); }"
    print "axis { type empty; faces (" axis "); }\n);\nmergePatchPairs ();"
  }'
}

# The mean of the parabola over each of the inlet's faces, axis first; 52.0624 mL/s in all.
inflow() {
  awk -v n="$1" 'BEGIN {
    ratio = 0.1 ^ (1 / (n - 1)); for (i = 0; i < n; i++) sum += ratio ^ i
    for (i = 0; i < n; i++) {
      outer = inner + 6 * ratio ^ i / sum
      printf "(0 0 %.9g) ", 0.920642 * (1 - (inner ^ 2 + outer ^ 2) / 72); inner = outer
    }
  }'
}

walls='front { type wedge; } back { type wedge; } axis { type empty; }'
fields() {
  { header volVectorField U
    echo "dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0.5); boundaryField { $walls"
    echo "wall { type noSlip; } outlet { type zeroGradient; }"
    echo "inlet { type fixedValue; value nonuniform List<vector> $1 ($(inflow "$1")); } }"; } >0/U
  { header volScalarField p
    echo "dimensions [0 2 -2 0 0 0 0]; internalField uniform 0; boundaryField { $walls"
    echo "wall { type zeroGradient; } inlet { type zeroGradient; }"
    echo "outlet { type fixedValue; value uniform 0; } }"; } >0/p
}

settings() {
  { header dictionary controlDict
    echo "application simpleFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 600;"
    echo "deltaT 1; writeControl timeStep; writeInterval 600; writeFormat ascii;"
    echo "functions { axis { type sets; libs (\"libsampling.so\"); writeControl writeTime;"
    echo "interpolationScheme cellPoint; setFormat raw; fields (U); sets (axis { type cloud; axis z;"
    echo "points ("
    for z in "${places[@]}"; do echo "(1e-6 0 $z)"; done
    echo "); }); } }"; } >system/controlDict
  { header dictionary fvSchemes
    echo "ddtSchemes { default steadyState; } gradSchemes { default Gauss linear; }"
    echo "divSchemes { default none; div(phi,U) bounded Gauss linearUpwind grad(U);"
    echo "div((nuEff*dev2(T(grad(U))))) Gauss linear; }"
    echo "laplacianSchemes { default Gauss linear corrected; }"
    echo "interpolationSchemes { default linear; } snGradSchemes { default corrected; }"; } >system/fvSchemes
  { header dictionary fvSolution
    echo "solvers { p { solver PCG; preconditioner DIC; tolerance 1e-8; relTol 0.05; }"
    echo "U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-10; relTol 0.05; } }"
    echo "SIMPLE { consistent yes; } relaxationFactors { equations { U 0.9; } }"; } >system/fvSolution
  { header dictionary transportProperties
    echo "transportModel Newtonian; nu 3.314394e-6;"; } >constant/transportProperties
  { header dictionary turbulenceProperties
    echo "simulationType laminar;"; } >constant/turbulenceProperties
}

for cells in "$@"; do
  mkdir -p "$folder/$cells"/{0,system,constant}
  (cd "$folder/$cells" && mesh "$cells" >system/blockMeshDict && settings && fields "$cells" &&
    blockMesh >mesh.log && simpleFoam >flow.log &&
    awk -v n="$cells" '$1 !~ /^#/ { printf "%d,%s,%.4f\n", n, $(NF - 3), $NF }' postProcessing/axis/600/axis_U.xy)
done
