"""Trains the network on labelled volumes, in pieces that are kept.

    python3 train.py --generator make_volumes --state vessel.state --minutes 25 --weights vessel.htnet

goes on where the state ends, or begins. Volumes and their order depend on the seed and the step alone; the number of
steps depends on the time. Needs PyTorch and numpy.
"""
import argparse
import copy
import math
import os
import tempfile
import time

import torch
import torch.nn.functional as F

import evaluate
import network as net
import volumes

GROUPS = ((0.3, (1,)), (0.05, (2,)), (0.25, (3,)), (0.4, (1, 2)))  # labels taken together, and their part of Dice
SLAB = 32  # slices of a tenth of the batches, as many a scan has; a volume has at least as many
OTHER_COUNTS = 0.4  # of a voxel of the other vessels, in the cross entropy


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--generator", required=True, help="the program make_volumes")
    parser.add_argument("--state", required=True, help="kept state, with FILE.moments beside it; read if there")
    parser.add_argument("--weights", help="write the weights for inference here")
    parser.add_argument("--minutes", type=float, default=25, help="of training, in this call")
    parser.add_argument("--plan-minutes", type=float, default=25, help="of training in all calls: the rate falls")
    parser.add_argument("--keep-every", type=float, default=4, help="minutes between kept states")
    parser.add_argument("--held-out", type=int, default=200, help="volumes for the scores at the end; 0: none")
    parser.add_argument("--seed", type=int, default=1, help="1 to 9")
    parser.add_argument("--edge", type=int, default=96)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--shard", type=int, default=256, help="volumes made at a time")
    parser.add_argument("--passes", type=int, default=3, help="how often each volume is taken, turned and lit anew")
    parser.add_argument("--threads", type=int, default=max(1, (os.cpu_count() or 2) - 2), help="of the generator")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--layout", choices=("channels-last", "contiguous"), default="channels-last", help="of the "
                        "images on the GPU: which is faster depends on it")
    parser.add_argument("--scratch", help="folder for the volumes; default: a temporary one")
    return parser.parse_args()


def layout_of(o):
    return torch.channels_last_3d if o.layout == "channels-last" else torch.contiguous_format


# ---- One step ----

def augment(scan, label, distance, whole, step, seed):
    """Turns and mirrors a batch, and changes its brightness. Three of four have the brightness of the scan that they
    are cut from, as in use; the others are taken for whole scans. A tenth of the batches are slabs."""
    random = torch.Generator().manual_seed(seed * 1_000_003 + step)
    is_whole = torch.rand((len(scan), 1, 1, 1), generator=random).to(scan.device) < 0.25
    x = torch.where(is_whole, net.normalise(scan), net.between(scan, whole[:, 0], whole[:, 1]))
    axes = [1 + int(a) for a in torch.randperm(3, generator=random)]
    mirrored = [a for a in (1, 2, 3) if torch.rand((), generator=random) < 0.5]
    begin = int(torch.randint(scan.shape[1] - SLAB + 1, (), generator=random))
    part = slice(begin, begin + SLAB) if torch.rand((), generator=random) < 0.1 else slice(None)
    turn = lambda t: (t.permute(0, *axes).flip(mirrored) if mirrored else t.permute(0, *axes))[:, part].contiguous()
    x, label, distance = turn(x), turn(label), turn(distance)
    size = (len(x), 1, 1, 1)
    draw = lambda width: (2 * torch.rand(size, generator=random) - 1).to(x.device) * width
    x = x.sign() * x.abs().clamp_min(1e-4) ** torch.exp(draw(0.3))
    x = x * torch.exp(draw(0.4)) + draw(0.15)
    return x.clamp(*net.RANGE), label.long(), distance.float() / 32


def losses(out, label, distance):
    """Cross entropy (near the walls four times as much), 1 - Dice of each volume of the labels in GROUPS, and the error
    of the distance. What nobody can tell does not count; nor does the distance beside it."""
    logs, size = out[:, :net.LABELS].float().log_softmax(1), (1, 2, 3)
    either, unseen = ((label == one).float() for one in (volumes.EITHER, volumes.UNSEEN))
    weight = 1 + 3 * (distance.abs() < 2).float()
    one = logs.gather(1, label.masked_fill(label >= net.LABELS, 0)[:, None])[:, 0]
    entropy = -torch.where(label == volumes.EITHER, torch.logaddexp(logs[:, 1], logs[:, 2]), one)
    counts = weight * (1 - unseen) * (1 - (1 - OTHER_COUNTS) * (label == 2).float())
    entropy, shares, dice = (entropy * counts).sum() / counts.sum(), logs.exp(), 0
    for part, group in GROUPS:
        is_any = float(group == (1, 2))
        kept = 1 - unseen - (1 - is_any) * either
        found = sum(shares[:, n] for n in group) * kept
        truth = sum((label == n).float() for n in group) + is_any * either
        alike = (2 * (found * truth).sum(size) + 100) / ((found + truth).sum(size) + 100)
        dice = dice + part * (1 - alike.mean())
    weight = weight * (1 - F.max_pool3d(unseen[:, None], 5, 1, 2)[:, 0])
    error = F.smooth_l1_loss(out[:, net.LABELS].float(), (distance / net.DISTANCE).clamp(-1, 1), beta=0.1,
                             reduction="none")
    return entropy, dice, (error * weight).sum() / weight.sum()


def rate_at(o, step, minutes):
    end = min(1, minutes / o.plan_minutes)
    return o.rate * min(1, (step + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * end)))


@torch.no_grad()
def follow(mean, network, step):
    """The running mean of the weights, which is what is scored and exported."""
    keep = min(0.998, (step + 1) / (step + 20))
    for slow, fast in zip(mean.state_dict().values(), network.state_dict().values()):
        if slow.dtype.is_floating_point:
            slow.lerp_(fast, 1 - keep)
        else:
            slow.copy_(fast)


# ---- The state ----

def keep(o, network, mean, optimiser, step, minutes):
    for path, state in ((o.state, {"network": network.state_dict(), "mean": mean.state_dict(), "step": step,
                                   "minutes": minutes, "seed": o.seed}),
                        (o.state + ".moments", {"optimiser": optimiser.state_dict(), "step": step})):
        torch.save(state, path + ".part")
        os.replace(path + ".part", path)


def resume(o, network, mean, optimiser):
    if not os.path.exists(o.state):
        return 0, 0.0
    state, moments = (torch.load(path, map_location="cpu") for path in (o.state, o.state + ".moments"))
    assert state["seed"] == o.seed and state["step"] == moments["step"], "the state is of another seed, or torn"
    network.load_state_dict(state["network"])
    mean.load_state_dict(state["mean"])
    optimiser.load_state_dict(moments["optimiser"])
    return state["step"], state["minutes"]


# ---- The whole ----

def train(o, network, mean, optimiser, device):
    step, before = resume(o, network, mean, optimiser)
    batches, began, kept, shown, waited = volumes.Batches(o, step), time.time(), 0, step, 0.0
    batch = batches.next()  # the first shard is made before the time counts
    print(f"first shard of {o.shard} volumes: {time.time() - began:.1f} s; begin at step {step}", flush=True)
    began = since = time.time()
    while (minutes := (time.time() - began) / 60) < o.minutes:
        x, label, distance = augment(*(t.to(device, non_blocking=True) for t in batch), step, o.seed)
        x = x[:, None].to(memory_format=layout_of(o))
        for group in optimiser.param_groups:
            group["lr"] = rate_at(o, step, before + minutes)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            out = network(x)
        parts = losses(out, label, distance)
        optimiser.zero_grad(set_to_none=True)
        sum(parts).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        follow(mean, network, step)
        step += 1
        wait = time.time()
        batch = batches.next()
        waited += time.time() - wait
        if step - shown == 50 or step == 1:
            values = [float(part.detach()) for part in parts]  # waits for the GPU
            each = (time.time() - since) / (step - shown)
            print(f"step {step}, {before + minutes:.2f} min: cross entropy {values[0]:.4f}, 1 - Dice {values[1]:.4f}, "
                  f"distance {values[2]:.4f}; {1000 * each:.0f} ms a step, {o.batch / each:.1f} volumes/s, "
                  f"{100 * waited / (time.time() - since):.0f} % of it at most waiting for volumes", flush=True)
            assert all(math.isfinite(value) for value in values), "the training diverged"
            since, shown, waited = time.time(), step, 0.0
        if minutes - kept > o.keep_every:
            kept = minutes
            keep(o, network, mean, optimiser, step, before + minutes)
    batches.stop()
    keep(o, network, mean, optimiser, step, before + minutes)
    if device == "cuda":
        print(f"most memory of the GPU: {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
    print(f"trained {minutes:.2f} min, {before + minutes:.2f} min in all, {step} steps", flush=True)


def export(o, mean, device):
    layers = net.fold(mean)
    size = net.write_weights(o.weights, layers)
    halved = net.read_weights(o.weights)
    x = torch.randn(1, 1, 48, 48, 48, generator=torch.Generator().manual_seed(1)).to(device)
    with torch.no_grad():
        whole, folded, half = mean(x), net.run_folded(layers, x), net.run_folded(halved, x)
    apart = [float((whole - other).abs().max()) for other in (folded, half)]
    print(f"weights: {o.weights}, {size / 1e6:.2f} MB; folded: differs by {apart[0]:.1e}, in 16 bits by {apart[1]:.1e} "
          f"of values up to {float(whole.abs().max()):.1f}", flush=True)
    return [(weight.to(device), bias.to(device)) for weight, bias in halved]


def main():
    o = read_options()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(o.seed)
    torch.backends.cudnn.benchmark = True
    network = net.Network().to(device).to(memory_format=layout_of(o))
    mean = copy.deepcopy(network).eval()
    optimiser = torch.optim.AdamW(network.parameters(), lr=o.rate, weight_decay=1e-3)
    print(f"{sum(p.numel() for p in network.parameters())} parameters on {device}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        o.scratch = o.scratch or folder
        train(o, network, mean, optimiser, device)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = False
        run = lambda x: mean(x)
        if o.weights:
            layers = export(o, mean, device)
            run = lambda x: net.run_folded(layers, x)
        if o.held_out:
            path = evaluate.held_out(o.generator, o.held_out, o.edge, folder)
            evaluate.show(evaluate.scores_of(run, device, path), volumes.HELD_OUT)


if __name__ == "__main__":
    main()
