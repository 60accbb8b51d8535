"""The seven-segment equations once more, term by term as the appendix of 1980 prints them, misprints on request.

Slow and plain on purpose: loops over rows, no arrays of coefficients shared with the package.
"""

import numpy as np

B, C, A, MF, IF, ALPHA, BETA, GAMMA = 0.140, 0.189, 0.116, 1.159, 0.010, 2.621, 0.967, 0.310
D, E, MS, IS, F, G, MT, IT = 0.247, 0.188, 3.717, 0.064, 0.227, 0.173, 7.994, 0.133
H, MH, IH, SK, DAMP, GRAV = 0.325, 54.2, 3.591, 274400.0, 1000.0, 9.807
LS, LT = D + E, F + G
UP = 2 * MS + 2 * MT + MH + MF  # what the ankle carries

MISPRINTS = ("c13", "angles squared", "spring", "gravity 2 and 3", "gravity 1", "gravity 2 to 7")


def accelerations(phase, theta, omega, M, separation=0.0, misprint=None):
    """Return the accelerations of one state (7,), with one of MISPRINTS kept."""
    phi = theta.copy()
    phi[0] += ALPHA if phase == 4 else BETA
    phi[6] += ALPHA
    Q = np.array([M[0], M[1] - M[0], M[2] - M[1], -M[2] - M[3], M[3] - M[4], M[4] - M[5], M[5]])
    c, R = (first_phase if phase == 1 else later_phase)(phase, theta, phi, misprint)
    R = R + Q
    if phase == 3:
        R[0] = 0.0
    square = phi**2 if misprint == "angles squared" else omega**2
    b = np.array(
        [R[i] - sum(c[i, j] * square[j] * np.sin(phi[i] - phi[j]) for j in range(7)) for i in range(7)]
    )
    if phase == 1:
        b += hip(phi, omega, separation, misprint)
    matrix = np.array([[c[i, j] * np.cos(phi[i] - phi[j]) for j in range(7)] for i in range(7)])
    return np.linalg.solve(matrix, b)


def hip(phi, omega, separation, misprint=None):
    d = np.array([B, LS, LT, 0.0, -LT, -LS, -2 * A])
    v = np.array([-np.sum(d * np.sin(phi) * omega), np.sum(d * np.cos(phi) * omega)])
    force = -DAMP * v
    rows = []
    for i in range(7):
        pairs = (d[j] * d[j] if misprint == "spring" else d[i] * d[j] for j in range(7))
        spring = sum(pair * np.sin(phi[i] - phi[j]) for j, pair in enumerate(pairs))
        rows.append(
            SK * (spring + d[i] * separation * np.sin(phi[i]))
            + d[i] * (-force[0] * np.sin(phi[i]) + force[1] * np.cos(phi[i]))
        )
    return np.array(rows)


def first_phase(phase, theta, phi, misprint):
    c = np.zeros((7, 7))
    c[0, 0], c[0, 1], c[0, 2] = MF * C**2 + IF + (MS + MT) * B**2, (MS * D + MT * LS) * B, MT * F * B
    c[1, 1], c[1, 2], c[2, 2] = IS + MS * D**2 + MT * LS**2, MT * F * LS, IT + MT * F**2
    c[3, 3], c[3, 4], c[3, 5], c[3, 6] = IH + MH * H**2, MH * H * LT, MH * H * LS, 2 * MH * H * A
    c[4, 4], c[4, 5] = IT + MT * F**2 + MH * LT**2, MT * F * LS + MH * LS * LT
    c[4, 6], c[5, 5] = 2 * A * (MT * F + MH * LT), IS + MS * D**2 + (MH + MT) * LS**2
    c[5, 6], c[6, 6] = 2 * A * ((MH + MT) * LS + MS * D), IF + MF * A**2 + 4 * A**2 * (MH + MT + MS)
    c += np.triu(c, 1).T
    second, third = MS * D + MT * LS, MT * F
    if misprint == "gravity 2 and 3":
        second, third = c[1, 0], c[2, 0]
    cos = np.cos(phi)
    R = -GRAV * np.array(
        [
            MF * C * np.cos(theta[0] + GAMMA) + (MS + MT) * B * cos[0],
            second * cos[1],
            third * cos[2],
            MH * H * cos[3],
            (MH * LT + MT * F) * cos[4],
            ((MH + MT) * LS + MS * D) * cos[5],
            (2 * A * (MH + MT + MS) + A * MF) * cos[6],
        ]
    )
    return c, R


def later_phase(phase, theta, phi, misprint):
    K, Z = {2: (B, C), 3: (0.0, 0.0), 4: (2 * A, A)}[phase]
    s = np.array(
        [
            0.0,
            MS * D + (2 * MT + MH + MS + MF) * LS,
            MT * F + (MH + MT + MS + MF) * LT,
            MH * H,
            -(MT * G + (MS + MF) * LT),
            -(MS * E + MF * LS),
            -MF * A,
        ]
    )
    c = np.zeros((7, 7))
    c[0, 0] = K**2 * UP + MF * Z**2 + IF
    c[0, 1:] = K * s[1:]
    c[1, 2:] = LS * s[2:]
    c[2, 3:] = LT * s[3:]
    c[4, 5:] = -LT * s[5:]
    c[5, 6] = -LS * s[6]
    if misprint == "c13":
        c[0, 2] = K * (MT + F + (MH + MT + MS + MF) * LT)
    c += np.triu(c, 1).T
    diagonal = [
        IS + MS * D**2 + (MS + 2 * MT + MH + MF) * LS**2,
        IT + MT * F**2 + (MH + MT + MS + MF) * LT**2,
        IH + MH * H**2,
        IT + MT * G**2 + (MS + MF) * LT**2,
        IS + MS * E**2 + MF * LS**2,
        IF + MF * A**2,
    ]
    c[range(1, 7), range(1, 7)] = diagonal
    R = -GRAV * s * np.cos(phi)
    if misprint == "gravity 2 to 7":
        R[1] = -c[0, 1] * np.cos(phi[1])
        R[2:] = -c[0, 2:] * GRAV * np.cos(phi[2:])
    if phase == 2:
        R[0] = -GRAV * (MF * C * np.cos(theta[0] + GAMMA) + B * UP * np.cos(phi[0]))
        if misprint == "gravity 1":
            R[0] = -B * GRAV * MF * np.cos(theta[0] + GAMMA) - UP * np.cos(phi[0])
    if phase == 4:
        R[0] = -GRAV * (A * MF + 2 * A * UP) * np.cos(phi[0])
        if misprint == "gravity 1":
            R[0] = -2 * A * GRAV * MF * np.cos(phi[0] - BETA + GAMMA) - UP * np.cos(phi[0])
    return c, R
