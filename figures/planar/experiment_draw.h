// How the experiments are drawn: scripts of gnuplot.
#ifndef PL_FIGURES_PLANAR_EXPERIMENT_DRAW_H
#define PL_FIGURES_PLANAR_EXPERIMENT_DRAW_H

// clang-format off

// ------------------------------------------------------------------------------------- walls

#define PL_PLANAR_EXPERIMENT_ACTIVE \
    "set multiplot\n" \
    "set tmargin at screen 0.93\n" \
    "set bmargin at screen 0.13\n" \
    "set xrange [0:8]\n" \
    "set xtics 2\n" \
    "set yrange [-8:72]\n" \
    "set ytics 10\n" \
    "set xlabel 'time since the hand let go [s]' offset 0,0.4\n" \
    "set ylabel 'distance to the wall [mm]' offset 0.8,0\n" \
    "set arrow 1 from 0,0 to 8,0 nohead ls 9 dt 2\n" \
    "set key at graph 0.03,0.98 left top Left reverse\n" \
    "set lmargin at screen 0.07\n" \
    "set rmargin at screen 0.49\n" \
    "set label 1 'walls, through the pantograph' at graph 0,1.0 left offset 0,0.7\n" \
    "plot csv using 'time':(column('PI hold loop')) with lines ls 5 title 'PI, held', \\\n" \
    "     '' using 'time':(column('hold loop')) with lines ls 2 title 'spring, held', \\\n" \
    "     '' using 'time':(column('PI estimate loop')) with lines ls 3 title 'PI, estimated', \\\n" \
    "     '' using 'time':(column('estimate loop')) with lines ls 1 title 'spring, estimated'\n" \
    "set lmargin at screen 0.57\n" \
    "set rmargin at screen 0.985\n" \
    "set label 1 'spring, estimated, by what tells the velocity'\n" \
    "plot csv using 'time':(column('estimate difference')) with lines ls 5 title 'difference, late', \\\n" \
    "     '' using 'time':(column('estimate handle')) with lines ls 9 title 'plain handle', \\\n" \
    "     '' using 'time':(column('estimate disturbance')) with lines ls 3 title 'disturbance', \\\n" \
    "     '' using 'time':(column('estimate loop')) with lines ls 1 title 'Nicosia and Tomei'\n" \
    "unset multiplot\n"

#define PL_PLANAR_EXPERIMENT_PASSIVE \
    "set multiplot\n" \
    "set tmargin at screen 0.93\n" \
    "set bmargin at screen 0.13\n" \
    "set xrange [0:5]\n" \
    "set xtics 1\n" \
    "set yrange [-8:40]\n" \
    "set ytics 10\n" \
    "set xlabel 'time since the hand let go [s]' offset 0,0.4\n" \
    "set ylabel 'distance to the wall [mm]' offset 0.8,0\n" \
    "set arrow 1 from 0,0 to 5,0 nohead ls 9 dt 2\n" \
    "set key at graph 0.98,0.98 right top Left reverse\n" \
    "set lmargin at screen 0.07\n" \
    "set rmargin at screen 0.49\n" \
    "set label 1 'walls, through the pantograph' at graph 0,1.0 left offset 0,0.7\n" \
    "plot csv using 'time':(column('estimate loop')) with lines ls 9 title 'spring, estimated', \\\n" \
    "     '' using 'time':(column('hysteretic weak loop')) with lines ls 3 title 'weak blocks', \\\n" \
    "     '' using 'time':(column('hysteretic loop')) with lines ls 2 title 'blocks', \\\n" \
    "     '' using 'time':(column('hysteretic tuned loop')) with lines ls 5 title 'blocks, tuned', \\\n" \
    "     '' using 'time':(column('pulse loop')) with lines ls 4 title 'pulse'\n" \
    "unset arrow 1\n" \
    "set lmargin at screen 0.57\n" \
    "set rmargin at screen 0.985\n" \
    "set xrange [0.4:0.7]\n" \
    "set xtics 0.1\n" \
    "set yrange [-1:18]\n" \
    "set ytics 5\n" \
    "set ylabel 'force on the handle [N]' offset 1.2,0\n" \
    "set label 1 'first contact'\n" \
    "plot csv using 'time':(column('force estimate loop')) with lines ls 9 title 'spring, estimated', \\\n" \
    "     '' using 'time':(column('force hysteretic loop')) with lines ls 2 title 'blocks', \\\n" \
    "     '' using 'time':(column('force hysteretic tuned loop')) with lines ls 5 title 'blocks, tuned', \\\n" \
    "     '' using 'time':(column('force pulse loop')) with lines ls 4 title 'pulse'\n" \
    "unset multiplot\n"

// ---------------------------------------------------------------------------------- friction

// Places above, forces below; pushed at the left, loaded at the right.
#define PL_PLANAR_EXPERIMENT_PLACES(side, range, tics, label) \
    "set tmargin at screen 0.93\n" \
    "set bmargin at screen 0.40\n" \
    "set yrange " range "\n" \
    "set ytics " tics "\n" \
    "set ylabel '" label "' offset 0.5,0\n" \
    "set format x ''\n" \
    "unset xlabel\n" \
    "set key at graph 0.03,0.98 left top Left reverse\n" \
    "plot csv using 'time':(column('" side " handle')) with lines ls 9 title 'plain handle', \\\n" \
    "     '' using 'time':(column('" side " loop')) with lines ls 1 title 'pantograph'\n"

#define PL_PLANAR_EXPERIMENT_FORCES(side) \
    "unset label 1\n" \
    "set tmargin at screen 0.355\n" \
    "set bmargin at screen 0.12\n" \
    "set yrange [-0.2:2]\n" \
    "set ytics 0.5\n" \
    "set ylabel 'force of the hand [N]' offset 0.8,0\n" \
    "set format x '%g'\n" \
    "set xlabel 'time since the hand let go [s]' offset 0,0.4\n" \
    "set key at graph 0.98,1.0 right top Left reverse horizontal maxrows 1\n" \
    "plot csv using 'time':(column('seen " side "')) with lines ls 5 title 'observed', \\\n" \
    "     '' using 'time':(column('hand " side "')) with lines ls 9 title 'true', \\\n" \
    "     1.2 with lines ls 9 dt 2 title 'stiction'\n" \
    "set key vertical maxrows auto\n"

#define PL_PLANAR_EXPERIMENT_FRICTION(range, tics) \
    "set multiplot\n" \
    "set arrow 1 from 0,graph 0 to 0,graph 0.78 nohead ls 9 dt 3\n" \
    "set lmargin at screen 0.07\n" \
    "set rmargin at screen 0.49\n" \
    "set xrange [-1:5]\n" \
    "set xtics 1\n" \
    "set label 1 'pushed' at graph 0,1.0 left offset 0,0.7\n" \
    PL_PLANAR_EXPERIMENT_PLACES("pushed", "[-55:55]", "20", "place of the peg [mm]") \
    PL_PLANAR_EXPERIMENT_FORCES("pushed") \
    "set lmargin at screen 0.585\n" \
    "set rmargin at screen 0.985\n" \
    "set xrange [-1:12]\n" \
    "set xtics 2\n" \
    "set label 1 'loaded below its stiction' at graph 0,1.0 left offset 0,0.7\n" \
    PL_PLANAR_EXPERIMENT_PLACES("loaded", range, tics, "way [mm]") \
    PL_PLANAR_EXPERIMENT_FORCES("loaded") \
    "unset multiplot\n"

// clang-format on

#endif
