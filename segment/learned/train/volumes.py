"""Labelled volumes: made by the generator (`hemotile phantom volumes` or make_volumes), shard by shard, while the
network trains on the shards before. A shard is the file of SHARD seeds. What is made depends on the seeds alone."""
import os
import queue
import struct
import subprocess
import threading

import numpy as np
import torch

HELD_OUT = 1_000_000_000  # seeds from here on are never trained on
EITHER = 254  # label of blood that may be artery or other vessel: only their sum is trained on and scored
UNSEEN = 255  # label of what nobody can tell: neither trained on nor scored


def begin(generator, path, seed, count, edge, threads=0):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads or os.cpu_count()))
    return subprocess.Popen([generator, path, str(seed), str(count), str(edge)], env=environment)


def make(*what):
    if begin(*what).wait():
        raise RuntimeError("the generator failed")


def read(path):
    """The volumes of a file, mapped: fields scan, label, distance ([edge, edge, edge] each), seed, spacing_mm, has,
    whole (low and high brightness of the scan that each is cut from)."""
    with open(path, "rb") as file:
        magic, version, edge, count, _, _ = struct.unpack("<8s4iQ", file.read(32))
    assert magic == b"HTLABELS" and version == 1, f"{path}: no labelled volumes"
    shape = (edge, edge, edge)
    record = np.dtype([("scan", "<i2", shape), ("label", "u1", shape), ("distance", "i1", shape), ("seed", "<u8"),
                       ("spacing_mm", "<f4", 3), ("has", "<u4"), ("whole", "<f4", 2)])
    return np.memmap(path, record, "r", 64, (count,))


class Batches:
    """Batches in a fixed order, from step `step` on: shard after shard, each taken `passes` times, shuffled by its
    number. Two threads work ahead: one makes shards, one reads batches."""

    def __init__(self, options, step):
        self.options, self.per_shard = options, options.shard // options.batch * options.passes
        self.shards, self.batches = queue.Queue(2), queue.Queue(4)
        self.step, self.failure, self.child = step, None, None
        for work in (self.make_shards, self.read_batches):
            threading.Thread(target=self.guarded, args=(work,), daemon=True).start()

    def guarded(self, work):
        try:
            work()
        except BaseException as failure:  # the other threads must not wait for ever
            self.failure = failure
            self.shards.put(None)
            self.batches.put(None)

    def make_shards(self):
        number, o = self.step // self.per_shard, self.options
        while True:
            path = os.path.join(o.scratch, f"shard-{number}.bin")
            first = (o.seed * 100_000_000 + number * o.shard) % HELD_OUT
            self.child = begin(o.generator, path, first, o.shard, o.edge, o.threads)
            if self.child.wait():
                raise RuntimeError("the generator failed, or was stopped")
            self.shards.put((number, path))
            number += 1

    def read_batches(self):
        step, size = self.step, self.options.batch
        while True:
            shard = self.shards.get()
            if shard is None:
                raise RuntimeError("no more shards")
            number, path = shard
            volumes = read(path)
            draws = np.random.default_rng([self.options.seed, number])
            order = np.concatenate([draws.permutation(len(volumes)) for _ in range(self.options.passes)])
            while step // self.per_shard == number:
                at = step % self.per_shard * size
                self.batches.put(tensors(volumes[np.sort(order[at:at + size])]))
                step += 1
            del volumes
            os.remove(path)

    def next(self):
        batch = self.batches.get()
        if batch is None:
            raise RuntimeError(f"the volumes stopped: {self.failure!r}")
        return batch

    def stop(self):
        self.child.kill()


def tensors(volumes):
    """scan int16, label uint8, distance int8: [N, edge, edge, edge]; whole float32 [N, 2]."""
    found = [torch.from_numpy(np.array(volumes[name])) for name in ("scan", "label", "distance", "whole")]
    return [one.pin_memory() if torch.cuda.is_available() else one for one in found]
