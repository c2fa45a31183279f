# doc/pictures/hand-faults.svg from the traces of hand_faults_test: `./dev faults` makes both.
set terminal svg size 960,620 font "sans,11" background "white"
set output picture
set datafile commentschars "#"
set multiplot layout 2,4 margins 0.06,0.985,0.1,0.87 spacing 0.035,0.16 \
    title "Force at an emulated omega, 2 mm in a wall of 1500 N/m; faults of 300 ms; in gaps the device hears nothing"
set xrange [-50:750]
set yrange [-0.2:3.6]
set xtics 0,200
set ytics 0,1
set grid lc rgb "#dddddd"
unset key
set style rect fc rgb "#f3e3d3" fs solid noborder
set object 1 rect from 0,graph 0 to 300,graph 1 behind
names = "spinning-tick device-unplugged place-no-number state-no-number clock-jumps disk-full process-stopped pause"
do for [i = 1:words(names)] {
    name = word(names, i)
    gone = i == 1 ? 25 : i == 3 ? 45 : i == 8 ? 25 : -1
    set title system(sprintf("echo %s | tr - ' '", name))
    if (i > 4) { set xlabel "ms" } else { unset xlabel }
    if (i % 4 == 1) { set ylabel "N" } else { unset ylabel }
    unset arrow 1
    if (gone > 0) { set arrow 1 from gone,graph 0 to gone,graph 1 nohead dt 2 lc rgb "#aa3333" }
    plot folder . "/" . name . ".csv" every 3 using 1:2 with lines lc rgb "#1f5f9f" lw 1.4
}
unset multiplot
