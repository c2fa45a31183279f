#!/usr/bin/env python3
"""Plots what a hand feels: the force of a scene's first device over time.

usage: force.py [SCENE] [OUTPUT]    default: wall, force

Draws OUTPUT.png with matplotlib; without it, writes OUTPUT.csv and OUTPUT.gp, for gnuplot.
"""

import csv
import sys

import palp


def draw(channels, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for name, values in channels.items():
        if name != "time":
            pyplot.plot(channels["time"], values, label=name)
    pyplot.xlabel("time [s]")
    pyplot.ylabel("force [N]")
    pyplot.legend()
    pyplot.savefig(path + ".png")
    print(f"{path}.png")


def write(channels, path):
    with open(path + ".csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(channels)
        writer.writerows(zip(*channels.values()))
    with open(path + ".gp", "w") as file:
        file.write(f'set datafile separator ","\nset xlabel "time [s]"\nset ylabel "force [N]"\n'
                   f'set terminal svg\nset output "{path}.svg"\n'
                   f'plot for [i=2:{len(channels)}] "{path}.csv" using 1:i with lines title columnheader(i)\n')
    print(f"{path}.csv\n{path}.gp")


def main(scene="wall", path="force"):
    with palp.World(scene) as world:
        device = world.devices[0]
        channels = world.record(["time"] + [f"{device}.force[{i}]" for i in range(3)])
        for words in world.report.trouble:
            print(words, file=sys.stderr)
    try:
        draw(channels, path)
    except ImportError:
        write(channels, path)


if __name__ == "__main__":
    main(*sys.argv[1:3])
