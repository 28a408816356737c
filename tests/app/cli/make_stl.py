"""Writes a small closed STL with the standard library: make_stl.py KIND FILE [SIDES RADIUS BALL LENGTH].

A surface of revolution, mm. KIND: sac (a tube of RADIUS 1 and LENGTH 6 into a BALL of radius 2.5 and
out of it, its ends flat), blind (the same, but the ball is its end).
"""
import math
import sys

kind, path = sys.argv[1:3]
sides, radius, ball, length = 48, 1.0, 2.5, 6.0
if len(sys.argv) > 3:
    sides, radius, ball, length = int(sys.argv[3]), *map(float, sys.argv[4:7])
reach = math.sqrt(ball**2 - radius**2)
begin = math.asin(radius / ball)
last = math.pi if kind == "blind" else math.pi - begin
rings = [(0, 0), (radius, 0), (radius, length / 2)]
for n in range(25):
    angle = begin + (last - begin) * n / 24
    rings.append((ball * math.sin(angle), length + reach - ball * math.cos(angle)))
if kind == "blind":
    rings[-1] = (0, rings[-1][1])
else:
    rings += [(radius, 2 * reach + 1.5 * length), (0, 2 * reach + 1.5 * length)]


def corner(ring, n):
    r, z = rings[ring]
    angle = 2 * math.pi * (n % sides) / sides
    return "vertex %.6g %.6g %.6g" % (r * math.cos(angle), r * math.sin(angle), z)


with open(path, "w") as file:
    file.write("solid\n")
    for ring in range(len(rings) - 1):
        for n in range(sides):
            a, b = corner(ring, n), corner(ring, n + 1)
            c, d = corner(ring + 1, n), corner(ring + 1, n + 1)
            for three in ([a, b, c] if rings[ring][0] else None, [b, d, c] if rings[ring + 1][0] else None):
                if three:
                    file.write("facet normal 0 0 0\nouter loop\n%s\nendloop\nendfacet\n" % "\n".join(three))
    file.write("endsolid\n")
