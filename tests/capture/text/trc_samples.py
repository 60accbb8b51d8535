"""Small files, by hand."""

TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "100.0\t100.0\t3\t2\tmm\t100.0\t1\t3\n"
    "Frame#\tTime\tRASI\t\t\tLASI\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.00\t1.5\t2.5\t3.5\t-4\t-5\t-6\n"
    "2\t0.01\t1.6\t2.6\t3.6\t-4.1\t-5.1\t-6.1\n"
    "3\t0.02\t1.7\t2.7\t3.7\t-4.2\t-5.2\t-6.2\n"
)

MOT = (
    "walk_grf\n"
    "version=1\n"
    "nRows=3\n"
    "nColumns=4\n"
    "inDegrees=no\n"
    "endheader\n"
    "time\tground_force_vx\tground_force_vy\tground_force_vz\n"
    "0.00\t1.5\t700.25\t-3\n"
    "0.01\t1.6\t701.25\t-3.5\n"
    "0.02\t1.7\t702.25\t-4\n"
)

STO = (
    "Coordinates\n"
    "inDegrees=yes\n"
    "nColumns=3\n"
    "nRows=3\n"
    "DataType=double\n"
    "version=3\n"
    "OpenSimVersion=4.5-2024-03-01\n"
    "endheader\n"
    "time\t/jointset/hip_r/hip_flexion_r/value\t/jointset/knee_r/knee_angle_r/value\n"
    "0.45\t0.001606593553352076\t-0.04572838422421265\n"
    "0.451\t0.002224118967975702\tnan\n"
    "0.452\t0.0028\t-0.0461\n"
)

CSV = "time (s),force [N],side\n0,1.5,left\n0.1,2.5,right\n0.2,,left\n"
