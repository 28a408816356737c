"""Every DICOM form of docs/import.md: files made by public tools from a phantom, imported by
hemotile, and compared with what pydicom reads: values equal, positions to 1e-3 mm.

usage: dicom_formats.py HEMOTILE GROUP, in an empty folder; GROUP: syntax, pixels, frames, folder,
refused, segment. One line a form; exit code 1 where one fails."""
import copy, glob, os, shutil, struct, subprocess, sys, zipfile
import nibabel, numpy, pydicom
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence
from pydicom.uid import generate_uid

hemotile, group = sys.argv[1:3]
failures = []
EXPLICIT, IMPLICIT, BIG, DEFLATED = ("1.2.840.10008.1.2.1", "1.2.840.10008.1.2",
                                     "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.1.99")
WARP = numpy.diag([-1., -1., 1., 1.])  # NIfTI's RAS to DICOM's LPS


def run(*command, code=0):
    """Runs a tool; its output. None where it does not end as expected."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != code:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.returncode}\n"
                           f"{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def form(name):
    """Runs a check and prints its outcome; the name is that in docs/import.md."""
    def wrap(check):
        try:
            print(f"{name}: {check() or 'equal'}", flush=True)
        except Exception as error:  # report this form, and run the others
            failures.append(name)
            print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
        return check
    return wrap


# ---- Files ----

def fresh(name):
    shutil.rmtree(name, ignore_errors=True)
    os.makedirs(name)
    return name


def source():
    """Six slices of the phantom, oblique to the body's axes."""
    if not os.path.exists("phantom"):
        run(hemotile, "phantom", "aneurysm", "-o", "phantom", "--spacing", "0.8", "--quiet")
    return [pydicom.dcmread(path) for path in sorted(glob.glob("phantom/dicom/*"))[8:14]]


def save(image, path, syntax=EXPLICIT):
    image.file_meta.TransferSyntaxUID = syntax
    image.is_implicit_VR = syntax == IMPLICIT
    image.is_little_endian = syntax != BIG
    image.file_meta.MediaStorageSOPInstanceUID = image.SOPInstanceUID
    image.file_meta.MediaStorageSOPClassUID = image.SOPClassUID
    image.save_as(path, write_like_original=False)


def series(folder, change=lambda image, k: None, name="{:d}.dcm"):
    """Writes the source's slices, each changed; returns them as pydicom has them."""
    images = source()
    fresh(folder)
    for k, image in enumerate(images):
        change(image, k)
        save(image, f"{folder}/{name.format(k)}")
    return images


def put_pixels(image, pixels, stored, signed=0, high=None):
    allocated = pixels.dtype.itemsize * 8
    image.Rows, image.Columns = pixels.shape[-2:]
    image.BitsAllocated, image.BitsStored = allocated, stored
    image.HighBit = stored - 1 if high is None else high
    image.PixelRepresentation = signed
    data = pixels.tobytes()
    image.PixelData = data + b"\0" * (len(data) % 2)
    image["PixelData"].VR = "OB" if allocated == 8 else "OW"


def put_odd_pixels(image, k):
    """8 bits, 39 x 39: an odd number of bytes."""
    put_pixels(image, (image.pixel_array // 8).clip(0, 255).astype("u1")[:39, :39], 8)


# ---- Reference and comparison ----

def first(item, name):
    return item[name][0] if item is not None and name in item else None


def functional(image, f, sequence, name, absent=None):
    """An attribute of frame f: of its functional groups, the shared ones, or the image."""
    own = image.PerFrameFunctionalGroupsSequence[f] if "PerFrameFunctionalGroupsSequence" in image \
        else None
    for groups in (own, first(image, "SharedFunctionalGroupsSequence")):
        found = first(groups, sequence)
        if found is not None and name in found:
            return found[name].value
    return image[name].value if name in image else absent


def planes_of(image, pixels=None):
    """(affine from pixel (column, row) to LPS, values after slope and intercept) of each frame."""
    if pixels is None:
        pixels = image.pixel_array
    pixels = pixels.reshape((-1, image.Rows, image.Columns))
    for f, plane in enumerate(pixels):
        axes = [float(v) for v in functional(image, f, "PlaneOrientationSequence",
                                             "ImageOrientationPatient")]
        place = [float(v) for v in functional(image, f, "PlanePositionSequence",
                                              "ImagePositionPatient")]
        rows, columns = map(float, functional(image, f, "PixelMeasuresSequence", "PixelSpacing"))
        group = "PixelValueTransformationSequence"
        slope = float(functional(image, f, group, "RescaleSlope", 1))
        intercept = float(functional(image, f, group, "RescaleIntercept", 0))
        affine = numpy.array([numpy.array(axes[:3]) * columns, numpy.array(axes[3:]) * rows,
                              place]).T
        yield affine, (plane.astype(float) * slope + intercept).astype(numpy.float32)


def compare(planes, file):
    """Each pixel of the planes is that voxel of the file, at the same place; and there are no
    others."""
    image = nibabel.load(file)
    voxels, count = numpy.asarray(image.dataobj), 0
    to_voxel = numpy.linalg.inv(WARP @ image.affine)
    for affine, values in planes:
        row, column = numpy.mgrid[:values.shape[0], :values.shape[1]]
        places = numpy.stack([column, row, numpy.ones_like(row)], -1) @ affine.T
        index = places @ to_voxel[:3, :3].T + to_voxel[:3, 3]
        nearest = numpy.rint(index).astype(int)
        off = numpy.abs((index - nearest) @ image.affine[:3, :3].T).max()
        assert off < 1e-3, f"a voxel lies {off:.3g} mm off"
        assert (nearest >= 0).all() and (nearest < voxels.shape).all(), "outside of the volume"
        got = voxels[tuple(nearest.reshape(-1, 3).T)].reshape(values.shape)
        assert (got == values).all(), f"values differ by up to {abs(got - values).max()}"
        count += values.size
    assert count == voxels.size, f"{voxels.size} voxels, expected {count}"
    assert voxels.std() > 0, "an empty image"


def imported(path, *options):
    """The scan as hemotile reads it, and what it said."""
    fresh("case")
    said = run(hemotile, "import", path, "-o", "case", *options)
    return "case/scan.nii.gz", said


def read_back(path, images, pixels=None, options=()):
    """Imports the path: equal to pydicom's reading of the images."""
    file, said = imported(path, *options)
    planes = [plane for n, image in enumerate(images)
              for plane in planes_of(image, None if pixels is None else pixels[n])]
    compare(planes, file)
    return said


def refused(path, text, code, *options):
    fresh("case")
    said = run(hemotile, "import", path, "-o", "case", *options, code=code)
    assert text in " ".join(said.split()), f"it says: {said}\nexpected: {text}"
    return f"refused: {' '.join(said.split())[:150]}"


# ---- Transfer syntaxes ----

def convert(folder, tool, *options):
    """The folder's files through a tool that takes IN and OUT."""
    fresh(folder + "_out")
    for path in sorted(glob.glob(folder + "/*")):
        run(tool, *options, path, f"{folder}_out/{os.path.basename(path)}")
    return folder + "_out"


def syntaxes():
    def lossless(name, tool, *options, change=lambda image, k: None):
        """The tool changes no value: the same as before it."""
        @form(name)
        def check():
            images = series("plain", change)
            read_back(convert("plain", tool, *options), images)

    def lossy(name, tool, *options, change):
        """Of lossy files the reference is another decoder: GDCM's, read by pydicom."""
        @form(name)
        def check():
            series("plain", change)
            packed = convert("plain", tool, *options)
            plain = convert(packed, "gdcmconv", "--raw")
            images = [pydicom.dcmread(path) for path in sorted(glob.glob(plain + "/*"))]
            read_back(packed, images)
            mild = [pydicom.dcmread(path) for path in sorted(glob.glob("plain/*"))]
            assert any((a.pixel_array != b.pixel_array).any() for a, b in zip(images, mild))

    def twelve(image, k):
        put_pixels(image, (image.pixel_array.astype(int) + 0).clip(0, 4095).astype("u2"), 12)

    def eight(image, k):
        put_pixels(image, (image.pixel_array // 8).clip(0, 255).astype("u1"), 8)

    for tool in (["dcmcjpeg", "+ee", "+sr", "+q", "80"], ["dcmcjpls", "+en", "+md", "30"],
                 ["gdcmconv", "--lossy", "--j2k", "-r", "8"]):
        @form(f"values that overshoot their 10 bits, {' '.join(tool)}: the largest")
        def check():
            def edges(image, k):
                put_pixels(image, numpy.where(image.pixel_array > 1300, 1023, 0).astype("u2"), 12)
            plain = [image.pixel_array for image in series("plain", edges)]
            packed = convert("plain", *tool)
            for path in sorted(glob.glob(packed + "/*")):
                image = pydicom.dcmread(path)
                image.BitsStored, image.HighBit = 10, 9
                image.save_as(path)
            file, _ = imported(packed)
            voxels = numpy.asarray(nibabel.load(file).dataobj)
            bright = numpy.sort(voxels.ravel())[-sum((p == 1023).sum() for p in plain):]
            slope, intercept = float(image.RescaleSlope), float(image.RescaleIntercept)
            assert bright.max() == 1023 * slope + intercept, "nothing overshoots"
            assert bright.min() > 600 * slope + intercept, f"a bright pixel became {bright.min()}"

    lossless("explicit VR little endian", "dcmconv", "+te")
    lossless("implicit VR little endian", "dcmconv", "+ti")
    lossless("explicit VR big endian", "dcmconv", "+tb")
    lossless("big endian, 8 bits", "dcmconv", "+tb", change=eight)
    lossless("deflated", "dcmconv", "+td")
    lossless("RLE", "dcmcrle")
    lossless("RLE, 8 bits", "dcmcrle", change=eight)
    lossless("JPEG lossless, first-order prediction", "dcmcjpeg", "+e1")
    lossless("JPEG lossless, process 14", "dcmcjpeg", "+el")
    lossless("JPEG lossless, 8 bits", "dcmcjpeg", "+e1", change=eight)
    lossless("JPEG-LS lossless", "dcmcjpls", "+el")
    lossless("JPEG-LS lossless, 12 bits", "dcmcjpls", "+el", change=twelve)
    lossless("JPEG 2000 lossless", "gdcmconv", "--j2k")
    lossless("JPEG 2000 lossless, 12 bits", "gdcmconv", "--j2k", change=twelve)
    lossless("JPEG 2000 lossless, 8 bits", "gdcmconv", "--j2k", change=eight)
    lossless("JPEG lossless of GDCM", "gdcmconv", "--jpeg")
    lossless("RLE of GDCM", "gdcmconv", "--rle")
    lossy("JPEG baseline (8 bits)", "dcmcjpeg", "+eb", "+q", "80", change=eight)
    lossy("JPEG extended (12 bits)", "dcmcjpeg", "+ee", "+q", "90", change=twelve)
    lossy("JPEG-LS near lossless", "dcmcjpls", "+en", "+md", "3", change=twelve)
    lossy("JPEG 2000 lossy", "gdcmconv", "--lossy", "--j2k", "-r", "8", change=twelve)


# ---- Pixels ----

def pixels():
    def stored(name, dtype, bits, signed=0, high=None, change=lambda image: None):
        @form(name)
        def check():
            kept = []

            def edit(image, k):
                values = image.pixel_array.astype(int)
                least = -(1 << (bits - 1)) if signed else 0
                values = values - (1000 if signed else 0) + 40 * k
                values = (values >> max(0, 13 - bits)).clip(least, least + (1 << bits) - 1)
                kept.append(values)
                shift = 0 if high is None else high + 1 - bits
                raw = (values & ((1 << bits) - 1)) << shift
                if shift:
                    raw |= 5  # an overlay in the lower bits
                put_pixels(image, raw.astype(dtype) if not signed or bits < 16
                           else values.astype(dtype), bits, signed, high)
                change(image)
            images = series("plain", edit)
            read_back("plain", images, kept)

    stored("8 bits unsigned", "u1", 8)
    stored("8 bits signed", "u1", 8, 1)
    stored("12 of 16 bits unsigned", "u2", 12)
    stored("12 of 16 bits signed", "u2", 12, 1)
    stored("16 bits unsigned", "u2", 16)
    stored("16 bits signed", "i2", 16, 1)
    stored("12 bits, the highest 15, an overlay below", "u2", 12, 0, 15)

    @form("MONOCHROME1")
    def check():
        read_back("plain", series("plain", lambda image, k: setattr(
            image, "PhotometricInterpretation", "MONOCHROME1")))

    @form("slope and intercept of each slice (MR)")
    def check():
        def edit(image, k):
            image.Modality, image.SOPClassUID = "MR", "1.2.840.10008.5.1.4.1.1.4"
            image.RescaleSlope, image.RescaleIntercept = str(1.25 + 0.5 * k), str(-3 * k)
        read_back("plain", series("plain", edit))

    @form("MR without slope")
    def check():
        def edit(image, k):
            image.Modality, image.SOPClassUID = "MR", "1.2.840.10008.5.1.4.1.1.4"
            del image.RescaleSlope, image.RescaleIntercept
        read_back("plain", series("plain", edit))

    @form("classic XA series of a 3D reconstruction (3DRA)")
    def check():
        def edit(image, k):
            image.Modality = "XA"
            image.ImageType = ["DERIVED", "PRIMARY", "3D"]
        read_back("plain", series("plain", edit))

    @form("odd number of bytes without the padding")
    def check():
        images = series("plain", put_odd_pixels)
        for path in glob.glob("plain/*"):
            whole = open(path, "rb").read()
            open(path, "wb").write(whole[:-1])
        read_back("plain", images)

    @form("odd length of the pixel data, as written")
    def check():
        images = series("plain", put_odd_pixels)
        for path in glob.glob("plain/*"):
            whole = open(path, "rb").read()
            at = whole.rindex(struct.pack("<I", 39 * 39 + 1))
            open(path, "wb").write(whole[:at] + struct.pack("<I", 39 * 39) + whole[at + 4:-1])
        read_back("plain", images)

    @form("compressed pixels without the mark of their end")
    def check():
        images = series("plain")
        for tool in ("dcmcrle", "dcmcjpeg", "dcmcjpls"):
            folder = convert("plain", tool)
            for path in glob.glob(folder + "/*"):
                whole = open(path, "rb").read()
                assert whole[-8:] == b"\xfe\xff\xdd\xe0\0\0\0\0"
                open(path, "wb").write(whole[:-8])
            read_back(folder, images)

    @form("a few bytes of padding behind the values")
    def check():
        for count in (2, 12):
            images = series("plain")
            for path in glob.glob("plain/*"):
                padded = pydicom.dcmread(path)
                padded.PixelData += bytes(count)
                padded.save_as(path)
            read_back("plain", images)

    @form("a byte of the values missing")
    def check():
        series("plain")
        whole = open("plain/2.dcm", "rb").read()
        open("plain/2.dcm", "wb").write(whole[:-1])
        return refused("plain", "'2.dcm': truncated or damaged", 11)


    def unknown(path):
        """The file with explicit VR, but all elements as UN, as a tool without a dictionary
        transcodes implicit VR (GDCM does of those that it does not know)."""
        run("dcmconv", "+ti", "+e", path, "implicit.dcm")
        whole = open("implicit.dcm", "rb").read()
        length, = struct.unpack_from("<I", whole, 140)
        begin, implicit, explicit = 144 + length, IMPLICIT.encode() + b"\0", EXPLICIT.encode() + b"\0"
        meta = whole[144:begin].replace(struct.pack("<H", len(implicit)) + implicit,
                                        struct.pack("<H", len(explicit)) + explicit)
        out = whole[:140] + struct.pack("<I", len(meta)) + meta
        while begin < len(whole):
            tag, size = whole[begin:begin + 4], *struct.unpack_from("<I", whole, begin + 4)
            out += tag + b"UN\0\0" + whole[begin + 4:begin + 8 + size]
            begin += 8 + size
        open(path, "wb").write(out)

    @form("all elements of the unknown value representation UN")
    def check():
        images = series("plain")
        for path in glob.glob("plain/*"):
            unknown(path)
        read_back("plain", images)
        whole = enhanced("plain/e.dcm")
        fresh("one")
        os.rename("plain/e.dcm", "one/e.dcm")
        unknown("one/e.dcm")
        read_back("one", [whole])


# ---- Multi-frame ----

def item(**attributes):
    made = Dataset()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def group_of(sequence, **attributes):
    return {sequence: Sequence([item(**attributes)])}


def enhanced(path, modality="CT", stacks=1, change=lambda own, f: None, pixels=None):
    """The source's slices as the frames of one enhanced image, in a shuffled order."""
    images, order = source(), [3, 0, 5, 1, 4, 2]
    whole = copy.deepcopy(images[0])
    for name in ("ImagePositionPatient", "ImageOrientationPatient", "PixelSpacing", "SliceLocation",
                 "RescaleSlope", "RescaleIntercept", "RescaleType", "SliceThickness",
                 "SpacingBetweenSlices"):
        if name in whole:
            delattr(whole, name)
    kind = {"CT": "2.1", "MR": "4.1", "XA": "13.1.1"}[modality]
    whole.SOPClassUID = "1.2.840.10008.5.1.4.1.1." + kind
    whole.SOPInstanceUID, whole.Modality = generate_uid(), modality
    whole.NumberOfFrames = len(order) * stacks
    shared = item(**group_of("PixelMeasuresSequence", PixelSpacing=images[0].PixelSpacing,
                             SliceThickness="1"))
    whole.SharedFunctionalGroupsSequence = Sequence([shared])
    frames, data = [], []
    for stack in range(stacks):
        for at, k in enumerate(order):
            place = [float(v) for v in images[k].ImagePositionPatient]
            axes = [float(v) for v in images[k].ImageOrientationPatient]
            if stack:  # the second looks along x
                place, axes = [10.5 + 2. * k, -8.25, 3.], [0, 1, 0, 0, 0, -1]
            own = item(**group_of("PlanePositionSequence", ImagePositionPatient=place),
                       **group_of("PlaneOrientationSequence", ImageOrientationPatient=axes),
                       **group_of("FrameContentSequence", StackID=str(stack + 1),
                                  InStackPositionNumber=at + 1),
                       **group_of("PixelValueTransformationSequence", RescaleType="US",
                                  RescaleSlope=str(1 + 0.25 * k), RescaleIntercept=str(-1024 + k)))
            change(own, len(frames))
            frames.append(own)
            data.append(images[k].pixel_array)
    whole.PerFrameFunctionalGroupsSequence = Sequence(frames)
    put_pixels(whole, numpy.stack(data) if pixels is None else pixels(numpy.stack(data)),
               16 if pixels is None else 12, int(pixels is None))
    save(whole, path)
    return whole


def frames():
    for modality in ("CT", "MR", "XA"):
        @form(f"enhanced {modality}, a scale and position a frame")
        def check():
            read_back("e.dcm", [enhanced("e.dcm", modality)])

    for name, tool in (("implicit", ["dcmconv", "+ti"]), ("big endian", ["dcmconv", "+tb"]),
                       ("deflated", ["dcmconv", "+td"]), ("RLE", ["dcmcrle"]),
                       ("JPEG lossless", ["dcmcjpeg"]), ("JPEG-LS", ["dcmcjpls"]),
                       ("JPEG 2000", ["gdcmconv", "--j2k"])):
        @form(f"enhanced CT, {name}")
        def check():
            fresh("one")
            whole = enhanced("plain.dcm", pixels=lambda p: p.clip(0, 4095).astype("u2"))
            run(*tool, "plain.dcm", "one/e.dcm")
            read_back("one/e.dcm", [whole])

    @form("enhanced image with an odd number of 8-bit pixels a frame")
    def check():
        fresh("one")
        whole = enhanced("plain.dcm", pixels=lambda p: p.clip(0, 4095).astype("u2"))
        small = (whole.pixel_array // 16).astype("u1")[:, :39, :39]
        put_pixels(whole, small, 8)
        for syntax in (EXPLICIT, IMPLICIT):
            save(whole, "one/e.dcm", syntax)
            read_back("one/e.dcm", [whole])
        for tool in (["dcmconv", "+tb"], ["dcmcrle"], ["dcmcjpls"], ["dcmcjpeg"]):
            save(whole, "plain.dcm")
            run(*tool, "plain.dcm", "one/e.dcm")
            read_back("one/e.dcm", [whole])

    @form("several stacks in an enhanced image: listed, one is chosen")
    def check():
        fresh("one")
        whole = enhanced("one/e.dcm", stacks=2)
        said = refused("one/e.dcm", "stack '2', 1 file", 12)
        said = run(hemotile, "info", "one/e.dcm")
        assert "stack 1" in said and "stack 2" in said, said
        planes = list(planes_of(whole))
        for number in (1, 2):
            file, _ = imported("one/e.dcm", "--series", str(number))
            compare(planes[6 * (number - 1):6 * number], file)
        return said.splitlines()[0]

    for how in ("temporal position", "cardiac trigger delay"):
        @form(f"enhanced MR, two times by their {how}: one is chosen")
        def check():
            fresh("one")
            enhanced("one/e.dcm", "MR", stacks=2)
            whole = pydicom.dcmread("one/e.dcm")
            for f, own in enumerate(whole.PerFrameFunctionalGroupsSequence):
                own.PlanePositionSequence = copy.deepcopy(
                    whole.PerFrameFunctionalGroupsSequence[f % 6].PlanePositionSequence)
                own.PlaneOrientationSequence = copy.deepcopy(
                    whole.PerFrameFunctionalGroupsSequence[f % 6].PlaneOrientationSequence)
                content = own.FrameContentSequence[0]
                content.StackID = "1"
                if how == "temporal position":
                    content.TemporalPositionIndex = 2 - f // 6  # the second comes first
                else:
                    own.CardiacSynchronizationSequence = Sequence(
                        [item(NominalCardiacTriggerDelayTime=40. * (1 - f // 6))])
            values = whole.pixel_array.copy()
            values[6:] += 7
            put_pixels(whole, values, 16, 1)
            save(whole, "one/e.dcm")
            planes = list(planes_of(whole))
            for phase, begin in ((1, 6), (2, 0)):
                file, _ = imported("one/e.dcm", "--phase", str(phase))
                compare(planes[begin:begin + 6], file)
            return refused("one/e.dcm", "--phase", 12)

    @form("frames of several enhanced files in one series")
    def check():
        fresh("many")
        enhanced("plain.dcm")
        parts = []
        for part in range(2):
            half = pydicom.dcmread("plain.dcm")
            values = half.pixel_array[3 * part:3 * part + 3]
            half.SOPInstanceUID, half.NumberOfFrames = generate_uid(), 3
            half.PerFrameFunctionalGroupsSequence = Sequence(
                half.PerFrameFunctionalGroupsSequence[3 * part:3 * part + 3])
            put_pixels(half, values, 16, 1)
            save(half, f"many/{part}")
            parts.append(half)
        read_back("many", parts)

    @form("an enhanced image with half of its rows, or of its frames, in the header")
    def check():
        for name, most in (("Rows", 40), ("NumberOfFrames", 6)):
            fresh("one")
            whole = enhanced("plain.dcm")
            assert whole[name].value == most
            setattr(whole, name, most // 2)
            whole.PerFrameFunctionalGroupsSequence = Sequence(
                whole.PerFrameFunctionalGroupsSequence[:whole.NumberOfFrames])
            save(whole, "one/e.dcm")
            said = refused("one", "its header does not fit", 11)
        return said

    @form("an enhanced image that tells fewer places than frames")
    def check():
        whole = enhanced("plain.dcm")
        fresh("one")
        whole.PerFrameFunctionalGroupsSequence = Sequence(
            whole.PerFrameFunctionalGroupsSequence[:5])
        save(whole, "one/e.dcm")
        return refused("one", "6 frames and tells the place of 5", 11)


# ---- Folders, discs, archives ----

def disc():
    """A disc of two series with a DICOMDIR, by dcmmkdir; the first series' images."""
    fresh("disc"), os.makedirs("disc/IMAGES/SER1"), os.makedirs("disc/IMAGES/SER2")
    images = series("plain", name="IM{:04d}")
    for k, image in enumerate(images):
        image.PatientID, image.StudyID, image.SeriesNumber = "P1", "1", 1
        save(image, f"disc/IMAGES/SER1/IM{k:04d}")
        other = copy.deepcopy(image)
        other.SeriesInstanceUID, other.SeriesNumber = images[0].SeriesInstanceUID + ".2", 2
        other.SeriesDescription = "The other"
        other.SOPInstanceUID = generate_uid()
        save(other, f"disc/IMAGES/SER2/IM{k:04d}")
    run("dcmmkdir", "+r", "+id", "disc", "+D", "disc/DICOMDIR", "-Pgp")
    return images


def folders():
    @form("no file extension, no preamble")
    def check():
        images = series("plain", name="IM{:04d}")
        for path in glob.glob("plain/*"):
            run("dcmconv", "-F", path, path)
        read_back("plain", images)

    @form("DICOMDIR, given as the path")
    def check():
        images = disc()
        shutil.copy("plain/IM0000", "disc/STRAY")  # not named in it: not looked at
        before = open("disc/DICOMDIR", "rb").read()
        read_back("disc/DICOMDIR", images, options=("--series", "1"))
        refused("disc/DICOMDIR", "several series", 12)
        assert open("disc/DICOMDIR", "rb").read() == before
        os.rename("disc/IMAGES", "disc/images")  # as Linux shows some discs
        os.rename("disc/images/SER1", "disc/images/ser1")
        read_back("disc/DICOMDIR", images, options=("--series", "1"))

    @form("DICOMDIR, an image was not copied")
    def check():
        images = disc()
        os.remove("disc/IMAGES/SER2/IM0002")
        read_back("disc/DICOMDIR", images, options=("--series", "1"))
        return refused("disc/DICOMDIR", "'IM0002': the DICOMDIR names it, but it is not there", 10,
                       "--series", "2")

    @form("zip archive")
    def check():
        images = series("plain")
        with zipfile.ZipFile("scan.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for path in glob.glob("plain/*"):
                archive.write(path, "study/series/" + os.path.basename(path))
            archive.writestr("study/README.txt", "a report")
        fresh("tmp")
        os.environ["TMPDIR"] = os.path.abspath("tmp")
        read_back("scan.zip", images)
        assert "6 files" in run(hemotile, "info", "scan.zip")
        assert os.listdir("tmp") == [], "files are left behind"

    @form("zip archive: a name that leads out")
    def check():
        with zipfile.ZipFile("bad.zip", "w") as archive:
            archive.writestr("../../outside.dcm", "x")
        return refused("bad.zip", "has a name that leads out", 11)

    @form("zip archive: a bomb")
    def check():
        with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            with archive.open("zeros.dcm", "w", force_zip64=True) as to:
                for _ in range(1030):  # more than 1 GiB
                    to.write(bytes(1 << 20))
        return refused("bomb.zip", "times as large as it is", 11)

    @form("zip archive: encrypted")
    def check():
        if not shutil.which("zip"):
            return "skipped: needs the tool zip"
        series("plain")
        run("zip", "-q", "-P", "secret", "-r", "locked.zip", "plain")
        return refused("locked.zip", "is encrypted", 11)

    @form("zip archive: damaged")
    def check():
        series("plain")
        with zipfile.ZipFile("cut.zip", "w", zipfile.ZIP_STORED) as archive:
            for path in glob.glob("plain/*"):
                archive.write(path)
        whole = bytearray(open("cut.zip", "rb").read())
        whole[3000] ^= 1
        open("cut.zip", "wb").write(whole)
        said = refused("cut.zip", "is damaged", 11)
        open("cut.zip", "wb").write(whole[:-900])
        refused("cut.zip", "a damaged zip archive", 11)
        assert os.listdir("tmp") == [], "files are left behind"
        return said

    def study():
        """A scan, a localizer, a MIP and a reformat of it, as a PACS gives them."""
        images = series("plain")
        fresh("study")
        for number, name, kind in ((1, "Scout", ["ORIGINAL", "PRIMARY", "LOCALIZER"]),
                                   (2, "CTA thin", ["ORIGINAL", "PRIMARY", "AXIAL"]),
                                   (3, "CTA MIP", ["DERIVED", "SECONDARY", "MIP"]),
                                   (4, "CTA MPR cor", ["DERIVED", "SECONDARY", "REFORMATTED"])):
            for k, image in enumerate(images):
                made = copy.deepcopy(image)
                made.SeriesNumber, made.SeriesDescription, made.ImageType = number, name, kind
                made.SeriesInstanceUID = f"{image.SeriesInstanceUID}.{number}"
                made.SOPInstanceUID = generate_uid()
                save(made, f"study/{number}-{k}")
        return images

    @form("localizers, projections and reformats are left out, and that is said")
    def check():
        images = study()
        said = read_back("study", images)
        for text in ('1 "Scout" (a localizer)', '3 "CTA MIP" (a projection or curved reformat)',
                     '4 "CTA MPR cor" (a reformat derived from another series)'):
            assert text in said, said
        listed = run(hemotile, "info", "study")
        assert listed.count("left out unless chosen") == 2, listed
        assert "`hemotile run study -o DIR` takes number 2" in listed, listed
        return " ".join(said[said.index("series 2"):].split())

    @form("a series by number, UID or description")
    def check():
        images = study()
        for wish in ("4", "mpr COR", images[0].SeriesInstanceUID + ".4"):
            read_back("study", images, options=("--series", wish))
        refused("study", 'fits no series', 12, "--series", "nothing")
        return refused("study", "a projection, rendering or curved reformat", 12, "--series", "3")

    @form("a localizer within the series")
    def check():
        images = series("plain")
        scout = copy.deepcopy(images[0])
        scout.ImageType, scout.SOPInstanceUID = ["ORIGINAL", "PRIMARY", "LOCALIZER"], generate_uid()
        scout.ImageOrientationPatient = [0, 1, 0, 0, 0, -1]
        save(scout, "plain/scout.dcm")
        said = read_back("plain", images)
        assert "(a localizer)" in said, said


# ---- Refused ----

def refusals():
    def alone(name, text, change, code=12):
        @form(name)
        def check():
            series("plain", change)
            run(hemotile, "info", "plain", code=code)
            return refused("plain", text, code)

    def syntax(name, uid, text):
        @form(name)
        def check():
            images = series("plain")
            for k, image in enumerate(images):
                image.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.4.91"
                image.PixelData = pydicom.encaps.encapsulate([b"\xff\x4f\xff\x51" * 8])
                image["PixelData"].VR = "OB"
                image["PixelData"].is_undefined_length = True
                pydicom.filewriter.dcmwrite(f"plain/{k}.dcm", image)
                rename_syntax(f"plain/{k}.dcm", uid)
            return refused("plain", text, 11)

    def rename_syntax(path, uid):
        """In the bytes: pydicom writes no syntax that it does not know."""
        old, new = b"1.2.840.10008.1.2.4.91", uid.encode() + b"\0" * (len(uid) % 2)
        whole = open(path, "rb").read()
        whole = whole.replace(b"UI" + struct.pack("<H", len(old)) + old,
                              b"UI" + struct.pack("<H", len(new)) + new, 1)
        length, = struct.unpack_from("<I", whole, 140)
        whole = whole[:140] + struct.pack("<I", length + len(new) - len(old)) + whole[144:]
        open(path, "wb").write(whole)

    def film(image, k):
        image.Modality, image.SOPClassUID = "XA", "1.2.840.10008.5.1.4.1.1.12.1"
        put_pixels(image, numpy.stack([image.pixel_array] * 3), 16, 1)
        image.NumberOfFrames = 3
        del image.ImagePositionPatient, image.ImageOrientationPatient

    def colour(image, k):
        image.SamplesPerPixel, image.PhotometricInterpretation = 3, "RGB"
        image.PlanarConfiguration = 0
        put_pixels(image, numpy.zeros((image.Rows, image.Columns), "u1"), 8)
        image.PixelData = bytes(3 * image.Rows * image.Columns)

    def floats(image, k):
        image.FloatPixelData = image.pixel_array.astype("f4").tobytes()
        image.BitsAllocated = 32
        del image.PixelData

    def wide(image, k):
        put_pixels(image, image.pixel_array.astype("i4"), 32, 1)

    def table(image, k):
        image.ModalityLUTSequence = Sequence([item(ModalityLUTType="HU")])

    def mosaic(image, k):
        image.ImageType = ["ORIGINAL", "PRIMARY", "M", "ND", "MOSAIC"]

    alone("film of projections (XA, multi-frame)", "export the 3D reconstruction", film)
    alone("colour", "a colour image (RGB", colour)
    alone("floating-point pixels (parametric map)", "floating-point numbers", floats)
    alone("32-bit pixels", "pixels of 32 bits", wide, 11)
    alone("Modality LUT", "a Modality LUT", table)
    alone("mosaic (Siemens)", "a mosaic", mosaic)
    alone("CT without slope and intercept", "without rescale slope", lambda image, k: (
        delattr(image, "RescaleSlope"), delattr(image, "RescaleIntercept")))
    syntax("JPEG 2000 part 2 (multi-component)", "1.2.840.10008.1.2.4.92", "which is not read")
    syntax("HTJ2K (high-throughput JPEG 2000)", "1.2.840.10008.1.2.4.201",
           "High-Throughput JPEG 2000")
    syntax("a transfer syntax that nobody knows", "1.2.3.4.5.6.7", "unknown transfer syntax (1.2.3.4.5.6.7)")
    syntax("MPEG-4 film", "1.2.840.10008.1.2.4.102", "which is not read")

    for tool in (None, ["dcmcrle"], ["dcmcjpeg"], ["dcmcjpls"], ["gdcmconv", "--j2k"]):
        @form(f"rows in the header that are not those of the pixels: {tool and tool[0]}")
        def check():
            for rows in (20, 80):
                series("plain")
                folder = convert("plain", *tool) if tool else "plain"
                for path in glob.glob(folder + "/*"):
                    image = pydicom.dcmread(path)
                    image.Rows = rows
                    image.save_as(path)
                said = refused(folder, "export", 11)
            return said

    @form("GE's private big-endian pixels")
    def check():
        for k, image in enumerate(series("plain")):
            image.file_meta.TransferSyntaxUID = "1.2.840.113619.5.2"
            image.is_implicit_VR = True
            pydicom.filewriter.dcmwrite(f"plain/{k}.dcm", image)
        return refused("plain", "private transfer syntax of GE", 11)


# ---- Segmentations ----

def segmentation(path, kind="BINARY", segments=(("Left ICA", 1), ("Aneurysm", 2)), skip=()):
    """Two segments on the planes of the source; their truth as {number: {plane: pixels}}."""
    images = source()
    whole = copy.deepcopy(images[0])
    for name in ("ImagePositionPatient", "ImageOrientationPatient", "PixelSpacing",
                 "RescaleSlope", "RescaleIntercept"):
        delattr(whole, name)
    whole.SOPClassUID, whole.Modality = "1.2.840.10008.5.1.4.1.1.66.4", "SEG"
    whole.SOPInstanceUID, whole.SegmentationType = generate_uid(), kind
    whole.SegmentSequence = Sequence([item(SegmentNumber=number, SegmentLabel=label)
                                      for label, number in segments])
    whole.SharedFunctionalGroupsSequence = Sequence([item(
        **group_of("PixelMeasuresSequence", PixelSpacing=images[0].PixelSpacing,
                   SpacingBetweenSlices="1", SliceThickness="1"),
        **group_of("PlaneOrientationSequence",
                   ImageOrientationPatient=images[0].ImageOrientationPatient))])
    own, data, truth = [], [], {number: {} for _, number in segments}
    for _, number in segments:
        for k, image in enumerate(images):
            if k in skip:
                continue
            inside = image.pixel_array[:39, :39] > 1200 + 100 * number
            truth[number][k] = inside
            own.append(item(
                **group_of("PlanePositionSequence",
                           ImagePositionPatient=image.ImagePositionPatient),
                **group_of("SegmentIdentificationSequence", ReferencedSegmentNumber=number)))
            data.append(inside)
    data = numpy.stack(data)
    if kind == "FRACTIONAL":
        whole.MaximumFractionalValue, whole.SegmentationFractionalType = 200, "PROBABILITY"
        put_pixels(whole, numpy.where(data, 100, 99).astype("u1"), 8)
    elif kind == "LABELMAP":
        planes = len(own) // 2
        own = own[:planes]
        labels = numpy.where(data[planes:], 2, numpy.where(data[:planes], 1, 0))
        for number in truth:
            for at, k in enumerate(truth[number]):
                truth[number][k] = labels[at] == number
        put_pixels(whole, labels.astype("u1"), 8)
    else:
        put_pixels(whole, data.astype("u1"), 8)
        whole.BitsAllocated, whole.BitsStored, whole.HighBit = 1, 1, 0
        bits = numpy.packbits(data.ravel(), bitorder="little").tobytes()
        whole.PixelData = bits + b"\0" * (len(bits) % 2)
    whole.PerFrameFunctionalGroupsSequence = Sequence(own)
    whole.NumberOfFrames = len(own)
    save(whole, path)
    return whole, truth


def mask_of(path, series=None, code=0):
    fresh("case")
    with open("mask.yaml", "w") as case:
        case.write(f"mask: {path}\n" + (f'series: "{series}"\n' if series else ""))
    return run(hemotile, "import", "mask.yaml", "-o", "case", code=code)


def same_mask(truth, number):
    """The voxels of the mask are those of the truth, at its frames' places; others are empty."""
    images, image = source(), nibabel.load("case/mask_drawn.nii.gz")
    voxels, inside = numpy.asarray(image.dataobj) > 0, 0
    to_voxel = numpy.linalg.inv(WARP @ image.affine)
    for k, pixels in truth[number].items():
        affine, _ = next(planes_of(images[k]))
        row, column = numpy.mgrid[:pixels.shape[0], :pixels.shape[1]]
        places = numpy.stack([column, row, numpy.ones_like(row)], -1) @ affine.T
        index = places @ to_voxel[:3, :3].T + to_voxel[:3, 3]
        nearest = numpy.rint(index).astype(int)
        assert numpy.abs((index - nearest) @ image.affine[:3, :3].T).max() < 1e-3, "elsewhere"
        assert (voxels[tuple(nearest.reshape(-1, 3).T)].reshape(pixels.shape) == pixels).all()
        inside += pixels.sum()
    assert voxels.sum() == inside > 0, (voxels.sum(), inside)


def segments():
    for kind in ("BINARY", "FRACTIONAL", "LABELMAP"):
        @form(f"DICOM SEG, {kind.lower()}, two segments: one is chosen")
        def check():
            whole, truth = segmentation("seg.dcm", kind)
            if kind == "BINARY":  # pydicom reads the same bits
                assert (whole.pixel_array[2] == truth[1][2]).all()
            for wish, number in (("1", 1), ("2", 2), ("aneurysm", 2)):
                mask_of("seg.dcm", wish)
                same_mask(truth, number)
            said = mask_of("seg.dcm", code=12)
            assert '1 "Left ICA"' in said.replace("  ", " ") and '2 "Aneurysm"' in said.replace("  ", " "), said
            return " ".join(said.split())[:150]

    @form("DICOM SEG, one segment, planes without frames, deflated")
    def check():
        _, truth = segmentation("plain.dcm", segments=(("Vessel", 1),), skip=(1, 3))
        run("dcmconv", "+td", "plain.dcm", "seg.dcm")
        mask_of("seg.dcm")
        same_mask(truth, 1)

    @form("DICOM SEG, big endian")
    def check():
        _, truth = segmentation("plain.dcm")
        run("dcmconv", "+tb", "plain.dcm", "seg.dcm")
        mask_of("seg.dcm", "2")
        same_mask(truth, 2)

    @form("DICOM SEG, fractional, RLE")
    def check():
        _, truth = segmentation("plain.dcm", "FRACTIONAL")
        run("dcmcrle", "plain.dcm", "seg.dcm")
        mask_of("seg.dcm", "1")
        same_mask(truth, 1)

    @form("DICOM SEG given alone, as a scan is")
    def check():
        fresh("one")
        _, truth = segmentation("one/seg.dcm")
        assert '1 "Left ICA", 2 "Aneurysm"' in run(hemotile, "info", "one/seg.dcm")
        refused("one/seg.dcm", '2 "Aneurysm" choose one with --series N', 12)
        fresh("case")
        run(hemotile, "import", "one/seg.dcm", "--series", "aneurysm", "-o", "case")
        same_mask(truth, 2)

    @form("DICOM SEG as the scan of a case file, or alone in a folder")
    def check():
        fresh("one")
        segmentation("one/seg.dcm")
        with open("scan.yaml", "w") as case:
            case.write("scan: one/seg.dcm\n")
        refused("scan.yaml", "a segmentation, not a scan: give the file as `mask:`", 12)
        return refused("one", "or alone to `hemotile run`", 12)

    @form("a scan given as a DICOM SEG")
    def check():
        series("plain")
        said = mask_of("plain/0.dcm", code=11)
        assert "no segmentation (SEG)" in said, said

    @form("a segmentation with fewer rows in the header than it has")
    def check():
        for kind in ("BINARY", "FRACTIONAL", "LABELMAP"):
            whole, _ = segmentation("seg.dcm", kind)
            whole.Rows -= 3
            save(whole, "seg.dcm")
            said = mask_of("seg.dcm", "1", code=11)
            assert "its header does not fit" in said, said

    @form("a segmentation with planes far apart")
    def check():
        whole, _ = segmentation("seg.dcm")
        far = whole.PerFrameFunctionalGroupsSequence[3].PlanePositionSequence[0]
        far.ImagePositionPatient = [0, 0, 1e7]
        save(whole, "seg.dcm")
        assert "too many planes apart" in mask_of("seg.dcm", "1", code=12)

    @form("an empty segment")
    def check():
        segmentation("seg.dcm", segments=(("Vessel", 1), ("Nothing", 90)))
        said = mask_of("seg.dcm", "90", code=13)
        assert "segment 90 is empty" in said, said


{"syntax": syntaxes, "pixels": pixels, "frames": frames, "folder": folders, "refused": refusals,
 "segment": segments}[group]()
if failures:
    print(f"{len(failures)} failed: " + ", ".join(failures))
sys.exit(1 if failures else 0)
