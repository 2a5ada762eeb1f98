"""The trees of tests/support/data/synthetic.ts, grown again without any code of Treeline: PCG32 (O'Neill,
HMC-CS-2014-0905), draws of rows and features, cuts, splits by scanning sorted rows, leaves. Sums are
Python's integers, so that nothing depends on an order. Prints the SHA-256 of the base score and all
nodes in preorder (see canonicalBytes in synthetic.ts).

Run: python3 tests/golden/reproducible/recipe.py
"""
import hashlib
import math
import struct

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF


def imul(a, b):
    return (a * b) & M32


def mix(h):  # MurmurHash3's finaliser
    h = imul(h ^ (h >> 16), 0x85EBCA6B)
    h = imul(h ^ (h >> 13), 0xC2B2AE35)
    return h ^ (h >> 16)


class Pcg32:
    """Seeded by a path of whole numbers below 2^32."""

    def __init__(self, key):
        self.key = list(key)
        a, b = 0x243F6A88, 0x85A308D3
        for part in key:
            a = mix((imul(a, 31) + part) & M32)
            b = mix((b + a + imul(part, 0x9E3779B1)) & M32)
        state = (mix(a ^ 0x13198A2E) << 32) | mix(b)
        stream = (mix((a + b) & M32) << 32) | mix(b ^ 0x03707344)
        self.inc = ((stream << 1) | 1) & M64
        self.state = 0
        self.next32()
        self.state = (self.state + state) & M64
        self.next32()

    def fork(self, *path):
        return Pcg32(self.key + list(path))

    def next32(self):
        old = self.state
        self.state = (old * 6364136223846793005 + self.inc) & M64
        x = (((old >> 18) ^ old) >> 27) & M32
        rot = old >> 59
        return ((x >> rot) | (x << (-rot & 31))) & M32

    def below(self, n):
        limit = 2**32 - 2**32 % n
        while True:
            value = self.next32()
            if value < limit:
                return value % n


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


# The table.
N = 4000
state = 1


def draw(count):
    global state
    state = (imul(state, 1664525) + 1013904223) & M32
    return (state // 65536) % count


A, B, C, Y = [], [], [], []
for _ in range(N):
    a = draw(1000) / 8
    b = math.nan if draw(9) == 0 else draw(300) / 4 - 30
    c = draw(7) - 1
    y = 1 if a + (20 if b > 0 else 0) + 9 * c + draw(60) > 110 else 0
    A.append(a), B.append(b), C.append(c), Y.append(y)

# Preset xgboost@2, 8 rounds, subsample 0.75, featuresPerNode 0.7, seed 11.
SEED, ROUNDS, ETA, LAM, DEPTH, MIN_H, MAX_BINS = 11, 8, 0.3, 1.0, 6, 1.0, 255
SUBSAMPLE, PER_NODE = 0.75, 0.7
LEVELS = 6


def cuts_of(values):
    present = sorted(v for v in values if v == v)
    distinct = sorted(set(present))
    mass = {v: 0 for v in distinct}
    for v in present:
        mass[v] += 1

    def between(low, high):
        single = f32(low / 2 + high / 2)
        return single if low <= single < high else low / 2 + high / 2

    if len(distinct) <= MAX_BINS:
        return [between(*pair) for pair in zip(distinct, distinct[1:])]
    cuts, held, left, bins_left = [], 0, len(present), MAX_BINS
    for low, high in zip(distinct, distinct[1:]):
        if bins_left <= 1:
            break
        held += mass[low]
        share = left / bins_left
        if held >= share or held + mass[high] / 2 > share:
            cuts.append(between(low, high))
            left -= held
            held = 0
            bins_left -= 1
    return cuts


CUTS = [cuts_of(A), cuts_of(B)]
COLUMNS = [A, B]


def rows_drawn(rng):
    seed = rng.next32()
    wanted = round(SUBSAMPLE * N)
    left = N
    drawn = []
    for row in range(N):
        x = imul(row ^ seed, 0x9E3779B1)
        x = imul(x ^ (x >> 16), 0x85EBCA6B)
        x = imul(x ^ (x >> 13), 0xC2B2AE35)
        x ^= x >> 16
        if (x / 4294967296) * left < wanted:
            drawn.append(row)
            wanted -= 1
        left -= 1
    return drawn


def features_drawn(rng):
    count = max(1, math.floor(3 * PER_NODE + 0.5))
    items = [0, 1, 2]
    for i in range(count):
        j = i + rng.below(3 - i)
        items[i], items[j] = items[j], items[i]
    return sorted(items[:count])


def whole(x, fix):  # half to even, as Python rounds
    return round(x * fix)


def fix_of(values):
    largest = max(values)
    return 2.0 ** (31 - math.frexp(largest)[1]) if largest > 0 else 1.0


class Node:
    def __init__(self, rows, depth):
        self.rows, self.depth, self.split = rows, depth, None


def grow(g, h, drawn, tree_rng):
    fix_g = fix_of([abs(g[r]) for r in drawn])
    fix_h = fix_of([h[r] for r in drawn])
    qg = [whole(x, fix_g) for x in g]
    qh = [whole(x, fix_h) for x in h]

    def sums(rows):
        return sum(qg[r] for r in rows), sum(qh[r] for r in rows)

    def score(gs, hs):
        gs, hs = gs / fix_g, hs / fix_h
        return gs * gs / (hs + LAM)

    nodes = [Node(drawn, 0)]
    level = [0]
    while level:
        following = []
        for index in level:
            node = nodes[index]
            total_g, total_h = sums(node.rows)
            if node.depth >= DEPTH or len(node.rows) < 2 or total_h / fix_h < 2 * MIN_H * (1 - 1e-9):
                continue
            parent = score(total_g, total_h)
            best = None

            def consider(gl, hl, what):
                nonlocal best
                if hl / fix_h < MIN_H * (1 - 1e-9) or (total_h - hl) / fix_h < MIN_H * (1 - 1e-9):
                    return
                both = score(gl, hl) + score(total_g - gl, total_h - hl)
                gain = both - parent
                if gain > 1e-10 * abs(both) and gain > (0 if best is None else best[0]):
                    best = (gain, what, gl, hl)

            for f in features_drawn(tree_rng.fork(2, index)):
                if f < 2:
                    column, cuts = COLUMNS[f], CUTS[f]
                    lacking = [r for r in node.rows if column[r] != column[r]]
                    mg, mh = sums(lacking)
                    ordered = sorted((r for r in node.rows if column[r] == column[r]), key=lambda r: column[r])
                    gl = hl = at = 0
                    for cut in cuts + [math.inf]:
                        first = at
                        while at < len(ordered) and column[ordered[at]] <= cut:
                            gl += qg[ordered[at]]
                            hl += qh[ordered[at]]
                            at += 1
                        if at == first:
                            continue
                        consider(gl, hl, ("number", f, cut, False))
                        if lacking:
                            consider(gl + mg, hl + mh, ("number", f, cut, True))
                else:
                    lacking = [r for r in node.rows if C[r] < 0]
                    mg, mh = sums(lacking)
                    by_level = {k: sums([r for r in node.rows if C[r] == k]) for k in range(LEVELS)
                                if any(C[r] == k for r in node.rows)}
                    order = sorted(by_level, key=lambda k: ((by_level[k][0] / fix_g) / (by_level[k][1] / fix_h), k))
                    for way in (order, order[::-1]):
                        gl = hl = 0
                        for count, k in enumerate(way, 1):
                            gl += by_level[k][0]
                            hl += by_level[k][1]
                            consider(gl, hl, ("levels", 2, frozenset(way[:count]), False))
                            if lacking:
                                consider(gl + mg, hl + mh, ("levels", 2, frozenset(way[:count]), True))
            if best is None:
                continue
            _, (kind, f, where, missing_left), gl, hl = best
            if kind == "number":
                lacks = any(COLUMNS[f][r] != COLUMNS[f][r] for r in node.rows)
                node.split = (kind, f, where, missing_left if lacks else 2 * hl >= total_h)
            else:
                lacks = any(C[r] < 0 for r in node.rows)
                present = {C[r] for r in node.rows}
                left = sum(qh[r] for r in node.rows if C[r] in where)
                right = sum(qh[r] for r in node.rows if C[r] >= 0 and C[r] not in where)
                levels = frozenset(k for k in range(LEVELS)
                                   if (k in where if k in present else left >= right))
                node.split = (kind, f, levels, missing_left if lacks else 2 * hl >= total_h)
            rows = [[], []]
            for r in node.rows:
                rows[0 if goes_left(node.split, r) else 1].append(r)
            node.children = (len(nodes), len(nodes) + 1)
            nodes += [Node(rows[0], node.depth + 1), Node(rows[1], node.depth + 1)]
            following += node.children
        level = following
    for node in nodes:
        gs, hs = sums(node.rows)
        node.value = f32(-(gs / fix_g) / (hs / fix_h + LAM) * ETA)
    return nodes


def goes_left(split, row):
    kind, f, where, missing_left = split
    if kind == "number":
        v = COLUMNS[f][row]
        return missing_left if v != v else v <= where
    return missing_left if C[row] < 0 else C[row] in where


def in_preorder(nodes, index=0):
    node = nodes[index]
    if node.split is None:
        return struct.pack("<bd", 0, node.value)
    kind, f, where, missing_left = node.split
    if kind == "number":
        head = struct.pack("<bbdb", 1, f, where, missing_left)
    else:
        head = struct.pack("<bbdb", 2, f, sum(2**k for k in where), missing_left)
    return head + b"".join(in_preorder(nodes, child) for child in node.children)


base = (sum(Y) - N / 2) / (N / 4)  # one Newton step from raw score 0
raw = [base] * N
text = struct.pack("<d", base)
leaves = 0
for round_ in range(1, ROUNDS + 1):
    p = [1 / (1 + math.exp(-x)) for x in raw]
    g = [q - y for q, y in zip(p, Y)]
    h = [max(q * (1 - q), 1e-16) for q in p]
    drawn = rows_drawn(Pcg32([SEED, round_, 1, 0]))
    tree = grow(g, h, drawn, Pcg32([SEED, round_, 2, 0]))
    text += in_preorder(tree)
    leaves += sum(node.split is None for node in tree)
    for row in range(N):
        at = 0
        while tree[at].split is not None:
            at = tree[at].children[0 if goes_left(tree[at].split, row) else 1]
        raw[row] += tree[at].value
print(hashlib.sha256(text).hexdigest(), leaves, "leaves")
