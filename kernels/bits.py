"""Bit operations on 64-bit words, one machine instruction each, or a few.

Every constant that meets a word must itself be `uint64`: numba turns a mix of `uint64` and
`int64` into `float64`.

Random numbers inside kernels: streams that a seed and a number begin.

SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the
state is one word that any 64-bit number seeds, so each game has a stream of its own and no
result depends on how the games are shared out.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import int64, types, uint64
from numba.extending import intrinsic

from samuel.kernels.jit import DISABLED, jit

Word: TypeAlias = Any
"""A `numpy.uint64`; numpy's own type would make the type checker doubt every `&` and `|`."""

ZERO = np.uint64(0)
ONE = np.uint64(1)
_WORD = ir.IntType(64)


def _instruction(name: str, total: bool) -> Any:
    """Make a function out of an LLVM intrinsic; `total` adds its operand "zero is fine"."""

    @intrinsic
    def operation(_typing: Any, word: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            operands = [_WORD, ir.IntType(1)] if total else [_WORD]
            function = builder.module.declare_intrinsic(name, fnty=ir.FunctionType(_WORD, operands))
            extra = [ir.Constant(ir.IntType(1), 0)] if total else []
            return builder.call(function, [arguments[0], *extra])

        return types.uint64(types.uint64), generate

    return operation


def _upper_half(_typing: Any, a: Any, b: Any) -> Any:
    """Return the upper 64 of the 128 bits of a product."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), _WORD)

    return types.uint64(types.uint64, types.uint64), generate


if DISABLED:

    def high_product(a: Word, b: Word) -> Word:
        """Return the upper 64 of the 128 bits of a product."""
        return np.uint64(int(a) * int(b) >> 64)

    def _popcount(word: Word) -> Word:
        return np.uint64(int(word).bit_count())

    def _trailing_zeros(word: Word) -> Word:
        return np.uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)

    def _leading_zeros(word: Word) -> Word:
        return np.uint64(64 - int(word).bit_length())

    def _reversed(word: Word) -> Word:
        return np.uint64(int(f"{int(word):064b}"[::-1], 2))

    def _swapped(word: Word) -> Word:
        return np.uint64(int.from_bytes(int(word).to_bytes(8, "little"), "big"))
else:
    high_product = intrinsic(_upper_half)
    _popcount = _instruction("llvm.ctpop.i64", total=False)
    _trailing_zeros = _instruction("llvm.cttz.i64", total=True)
    _leading_zeros = _instruction("llvm.ctlz.i64", total=True)
    _reversed = _instruction("llvm.bitreverse.i64", total=False)
    _swapped = _instruction("llvm.bswap.i64", total=False)


@jit
def popcount(word: Word) -> int:
    """Return the number of set bits of a uint64, as int64."""
    return int64(_popcount(word))


@jit
def trailing_zeros(word: Word) -> int:
    """Return the index of the lowest set bit of a uint64, as int64; 64 for zero."""
    return int64(_trailing_zeros(word))


@jit
def leading_zeros(word: Word) -> Word:
    """Return the number of zero bits above the highest set bit, as uint64; 64 for zero."""
    return _leading_zeros(word)


@jit
def reversed_bits(word: Word) -> Word:
    """Return a uint64 with its bits in the reverse order: bit i is bit 63 - i."""
    return _reversed(word)


@jit
def swapped_bytes(word: Word) -> Word:
    """Return a uint64 with its bytes in the reverse order: a board of 8 rows, upside down."""
    return _swapped(word)


@jit
def bit(square: int) -> Word:
    """Return the word with only the bit of `square` set."""
    return ONE << np.uint64(square)


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 by the golden ratio, an odd number."""
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@jit
def mix(key: Word, word: Word) -> Word:
    """Return `key` stirred with `word`: every bit of both reaches every bit of the result.

    The finalizer of SplitMix64 (Steele, Lea, Flood 2014). A sum of products would not do: the
    top bits of two words meet in the top bits of the key and cancel.
    """
    key = (key ^ word) + GOLDEN
    key = (key ^ (key >> _30)) * _MIX_1
    key = (key ^ (key >> _27)) * _MIX_2
    return key ^ (key >> _31)


@jit
def hash_of(words: Any, n: int, seed: Word) -> Word:
    """Return a 64-bit hash of `n` words; another seed gives another.

    Each word is multiplied by a number of its own (J. L. Carter and M. N. Wegman, "Universal
    classes of hash functions", 1979); all 128 bits of a product count, and their sum is stirred.
    No product waits for the one before, as it would if word after word were stirred: 29 words take
    a quarter of the time.
    """
    key, number = ZERO, _MIX_1
    for k in range(n):
        key += high_product(words[k], number) ^ (words[k] * number)
        number *= GOLDEN
    return mix(key, seed)


STREAM = uint64[::1]
_11 = np.uint64(11)
_TO_UNIT = 2.0**-53


@jit
def seed_stream(stream: Any, seed: int, number: int) -> None:
    """Start stream `number` of `seed` in `stream` (uint64, one word)."""
    stream[0] = mix(mix(ZERO, np.uint64(seed)), np.uint64(number))


@jit
def next_word(stream: Any) -> Word:
    """Return the next 64 random bits."""
    stream[0] += GOLDEN
    return mix(ZERO, stream[0])


@jit
def uniform(stream: Any) -> float:
    """Return a float64 in [0, 1)."""
    return np.float64(next_word(stream) >> _11) * _TO_UNIT


@jit
def below(stream: Any, n: int) -> int:
    """Return an integer in [0, n); the bias, under n / 2**64, is beyond notice."""
    return int64(high_product(next_word(stream), np.uint64(n)))
