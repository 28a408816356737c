# Methods and presets: printed, kept in the case, and refused where they do not fit.
. "$(dirname "$0")/../check.sh"
"$PYTHON" "$here/make_nifti.py" pipe pipe.nii
expect 0 import pipe.nii -o out
expect 0 segment out --preset 3dra --flow 1
says stderr "preset 3dra: method threshold"
says stderr "vessel: "
expect 0 segment out --preset none --method levelset --flow 1
says stderr "level set from threshold"
# Bone in a scan that is no CT: the preset is named, and why, also where the segmentation fails.
"$PYTHON" "$here/make_nifti.py" ball ball.nii
printf 'scan: ball.nii\nsegment: {preset: cta-aorta, bone: 1}\n' >bone.yaml
expect 0 import bone.yaml -o bone
expect 14 segment bone --flow 1
says stderr "preset cta-aorta: method auto, bias none, bone above 1 removed"
says stderr "warning: the scan has no value below 0, as CT has, and what is above 1 in it is removed as bone"
expect 2 segment out --method treshold
says stderr "did you mean 'threshold'"
expect 2 segment out --preset tof
says stderr "tof-mra|cta-head|cta-aorta|3dra"
expect 3 segment out --method file
says stderr "no 'mask' is given"
printf 'scan: pipe.nii\nregion: {centre_mm: [0, 0, 0]}\n' >ball.yaml
expect 3 run ball.yaml -o ball
says stderr "both centre_mm and radius_mm"
printf 'mask: pipe.nii\nsegment: {method: vesselness}\n' >mask.yaml
expect 3 run mask.yaml -o mask
says stderr "'mask' is a ready vessel"
absent ball mask
no_halves
done_testing
