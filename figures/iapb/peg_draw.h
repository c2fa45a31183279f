// Drawings of the peg in the corner (iapb figures 7 to 11): scripts for gnuplot.
// A method has the same colour in all of them; the ideal hand is a broad grey line below the others.
#ifndef PL_FIGURES_PEG_DRAW_H
#define PL_FIGURES_PEG_DRAW_H

// clang-format off
#define PL_PEG_LOOKS \
    "set style line 11 lc rgb '#BBBBBB' lw 6\n"        \
    "set style line 12 lc rgb '#0072B2' lw 2.2\n"      \
    "set style line 13 lc rgb '#009E73' lw 2.2\n"      \
    "set style line 14 lc rgb '#00382A' lw 1.4 dt 2\n" \
    "set style line 15 lc rgb '#56B4E9' lw 2.2\n"      \
    "set style line 16 lc rgb '#E69F00' lw 2.2\n"      \
    "set style line 17 lc rgb '#D55E00' lw 1.8\n"      \
    "set style line 18 lc rgb '#CC79A7' lw 1.8\n"

// What is drawn: columns, names, styles.
#define PL_PEG_FULL                                               \
    PL_PEG_LOOKS                                                  \
    "n = 4\n"                                                     \
    "array key[4] = ['ideal', 'full', 'penalty', 'coupler']\n"    \
    "array name[4] = ['ideal', 'impulses, full', 'penalty', 'coupler']\n" \
    "array look[4] = [11, 12, 17, 18]\n"

#define PL_PEG_SPREAD                                             \
    PL_PEG_LOOKS                                                  \
    "n = 4\n"                                                     \
    "array key[4] = ['ideal', 'spread', 'penalty', 'coupler']\n"  \
    "array name[4] = ['ideal', 'impulses, spread', 'penalty', 'coupler']\n" \
    "array look[4] = [11, 13, 17, 18]\n"

#define PL_PEG_LIMITED                                            \
    PL_PEG_LOOKS                                                  \
    "n = 6\n"                                                     \
    "array key[6] = ['ideal', 'saturated', 'scaled', 'spread', 'bank', 'full']\n"    \
    "array name[6] = ['ideal', 'saturated', 'scaled', 'spread', 'from a bank', 'full']\n" \
    "array look[6] = [11, 16, 15, 13, 14, 12]\n"

// Gaps to both walls on the left, distance to the ideal hand on the right.
#define PL_PEG_PATHS                                              \
    "set multiplot\n"                                             \
    "array wall[2] = ['x', 'y']\n"                                \
    "set lmargin at screen 0.07\n"                                \
    "set rmargin at screen 0.49\n"                                \
    "set xrange [0.48:0.72]\n"                                    \
    "set xtics 0.05\n"                                            \
    "set yrange [-3:1.5]\n"                                       \
    "set ytics 1\n"                                               \
    "set ylabel 'gap [mm]' offset 0.8,0\n"                        \
    "set object 1 rectangle from graph 0, graph 0 to graph 1, first 0 fc rgb '#F4F1EC' fs solid noborder behind\n" \
    "set label 2 'in the wall' at graph 0.985, graph 0.07 right textcolor rgb '#888070'\n" \
    "do for [j=1:2] {\n"                                          \
    "  set tmargin at screen (j == 1 ? 0.93 : 0.47)\n"            \
    "  set bmargin at screen (j == 1 ? 0.57 : 0.11)\n"            \
    "  if (j == 1) { set format x '' } else { set format x '%g'; set xlabel 'time [s]' offset 0,0.5 }\n" \
    "  set label 1 'hand and wall '.wall[j] at graph 0,1.0 left offset 0,0.7\n" \
    "  plot for [i=1:n] csv using 'time':(column(wall[j].' '.key[i])) with lines ls look[i]\n" \
    "}\n"                                                         \
    "unset object 1\n"                                            \
    "unset label 2\n"                                             \
    "set lmargin at screen 0.575\n"                               \
    "set rmargin at screen 0.98\n"                                \
    "set tmargin at screen 0.93\n"                                \
    "set xrange [0.48:1.08]\n"                                    \
    "set xtics 0.1\n"                                             \
    "set yrange [0:3.2]\n"                                        \
    "set ytics 0.5\n"                                             \
    "set ylabel 'distance [mm]' offset 0.8,0\n"                   \
    "set label 1 'distance to the ideal hand' at graph 0,1.0 left offset 0,0.7\n" \
    "set key at graph 0.98,0.98 right top Left reverse\n"         \
    "plot for [i=1:n] csv using 'time':(column('d '.key[i])) with lines ls look[i] title name[i]\n" \
    "unset multiplot\n"

// Forces along x and y without tilt, torque with it. A force is held for a step.
#define PL_PEG_FORCES(force, tic, torque, limits)                 \
    "set multiplot\n"                                             \
    "set style line 11 lc rgb '#AAAAAA' lw 3.5\n"                                    \
    "array what[3] = ['fx', 'fy', 'torque']\n"                    \
    "array title[3] = ['force off wall x [N]', 'force off wall y [N]', 'torque, peg tilted [N m]']\n" \
    "set tmargin at screen 0.91\n"                                \
    "set bmargin at screen 0.13\n"                                \
    "set xlabel 'time [s]' offset 0,0.5\n"                        \
    "do for [j=1:3] {\n"                                          \
    "  set lmargin at screen 0.05 + 0.325*(j - 1) + (j == 3 ? 0.015 : 0)\n" \
    "  set rmargin at screen 0.32 + 0.325*(j - 1) + (j == 3 ? 0.015 : 0)\n" \
    "  set xrange [(j == 2 ? 0.54 : 0.49):(j == 1 ? 0.57 : j == 2 ? 0.62 : 0.67)]\n"                 \
    "  if (j < 3) { set yrange " force "; set ytics " tic " } else { set yrange " torque "; set ytics 0.5 }\n" \
    "  if (j < 3) { set xtics 0.02 } else { set xtics 0.05 }\n"   \
    "  set label 1 title[j] at graph 0,1.0 left offset 0,0.7\n"   \
    "  if (j == 1) { set key at graph 0.98,0.98 right top Left reverse } else { unset key }\n" \
    limits                                                        \
    "  plot for [i=1:n] csv using 'time':(column(what[j].' '.key[i])) with steps ls look[i] title name[i]\n" \
    "}\n"                                                         \
    "unset multiplot\n"

#define PL_PEG_LIMIT                                              \
    "  F = j < 3 ? 15 : 1\n"                                      \
    "  set arrow 1 from graph 0, first F to graph 1, first F nohead ls 9 dt 2\n" \
    "  set label 2 'limit' at graph 0.99, first F right offset 0,0.6 textcolor rgb '#555555'\n"
// clang-format on

static const char plPathScript[] = PL_PEG_FULL PL_PEG_PATHS;
static const char plLimitScript[] = PL_PEG_LIMITED PL_PEG_PATHS;
static const char plSpreadPathScript[] = PL_PEG_SPREAD PL_PEG_PATHS;
static const char plForceScript[] = PL_PEG_FULL PL_PEG_FORCES("[0:120]", "20", "[-1.25:1.75]", "");
static const char plSpreadForceScript[] =
    PL_PEG_SPREAD PL_PEG_FORCES("[0:70]", "10", "[-1.25:1.25]", PL_PEG_LIMIT);

#endif
