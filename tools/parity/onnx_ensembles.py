#!/usr/bin/env python3
"""Makes random ONNX tree ensembles of every operator and mode and writes down what ONNX Runtime says.

    python tools/parity/onnx_ensembles.py FOLDER [--count 300] [--seed 1]

TreeEnsembleRegressor and -Classifier of opset 1 and 3, TreeEnsemble of opset 5 (sets of members too),
float and double, cast from other types, all comparisons, aggregates and post-transforms, infinities, missing values
tracked or not.
`deno run -A tools/parity/compare.ts FOLDER` compares. Needs numpy, onnx and onnxruntime.
"""
import argparse
import json
import os

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
MODE_5 = {mode: i for i, mode in enumerate(MODES)}
MEMBER = 6
AGGREGATES = ["AVERAGE", "SUM", "MIN", "MAX"]
TRANSFORMS = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"]  # in the order of the runtime's numbers


def grow(rng, depth, features, modes, outputs, positive, whole, every):
    """A tree as nested tuples: ("leaf", [(output, weight)…]) or (mode, feature, value, track, true, false)."""
    if depth == 0 or rng.rand() < 0.15:
        chosen = range(outputs) if every else rng.choice(outputs, rng.randint(1, outputs + 1), replace=False)
        return "leaf", [(int(k), float(np.float32(rng.rand() if positive else rng.randn()))) for k in chosen]
    mode = modes[rng.randint(len(modes))]
    if mode == "MEMBER":
        value = sorted(set(float(v) for v in rng.randint(-2, 9, rng.randint(1, 6))))
    elif whole or mode in ("BRANCH_EQ", "BRANCH_NEQ"):
        value = float(rng.randint(-2, 5))
    else:
        value = float(np.float32(rng.randn())) if rng.rand() < 0.9 else float(rng.choice([0.0, -0.0, np.inf, -np.inf]))
    below = [grow(rng, depth - 1, features, modes, outputs, positive, whole, every) for _ in range(2)]
    return mode, int(rng.randint(features)), value, int(rng.randint(2)), *below


def thresholds_of(tree, into):
    if tree[0] != "leaf":
        into[tree[1]].update(tree[2] if tree[0] == "MEMBER" else [tree[2]])
        thresholds_of(tree[4], into)
        thresholds_of(tree[5], into)


def big_sets(tree):
    """Features that are tested against sets which the runtime does not turn into a chain of equalities."""
    if tree[0] == "leaf":
        return
    if tree[0] == "MEMBER" and min(tree[2]) < 0:
        yield tree[1]
    yield from big_sets(tree[4])
    yield from big_sets(tree[5])


def flat_lists(trees, prefix, rng):
    """Attribute lists of opset 1 and 3; ids are not in order."""
    out = {k: [] for k in ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes", "nodes_values",
                           "nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true",
                           f"{prefix}_treeids", f"{prefix}_nodeids", f"{prefix}_ids", f"{prefix}_weights")}
    for t, tree in enumerate(trees):
        count = [0]

        def visit(node):
            at = count[0]
            count[0] += 1
            row = len(out["nodes_nodeids"])
            for key, value in (("nodes_treeids", t), ("nodes_nodeids", at)):
                out[key].append(value)
            if node[0] == "leaf":
                for key, value in (("nodes_featureids", 0), ("nodes_modes", "LEAF"), ("nodes_values", 0.0),
                                   ("nodes_truenodeids", 0), ("nodes_falsenodeids", 0), ("nodes_missing_value_tracks_true", 0)):
                    out[key].append(value)
                for k, w in node[1]:
                    for key, value in ((f"{prefix}_treeids", t), (f"{prefix}_nodeids", at), (f"{prefix}_ids", k), (f"{prefix}_weights", w)):
                        out[key].append(value)
                return at
            for key, value in (("nodes_featureids", node[1]), ("nodes_modes", node[0]), ("nodes_values", node[2]),
                               ("nodes_truenodeids", 0), ("nodes_falsenodeids", 0), ("nodes_missing_value_tracks_true", node[3])):
                out[key].append(value)
            out["nodes_truenodeids"][row] = visit(node[4])
            out["nodes_falsenodeids"][row] = visit(node[5])
            return at

        visit(tree)
    return out


def lists_5(trees, number):
    out = {k: [] for k in ("nodes_featureids", "nodes_modes", "nodes_splits", "nodes_truenodeids", "nodes_trueleafs",
                           "nodes_falsenodeids", "nodes_falseleafs", "nodes_missing_value_tracks_true",
                           "leaf_targetids", "leaf_weights", "membership_values", "tree_roots")}

    def leaf(node):
        out["leaf_targetids"].append(node[1][0][0])
        out["leaf_weights"].append(node[1][0][1])
        return len(out["leaf_targetids"]) - 1

    for tree in trees:
        out["tree_roots"].append(len(out["nodes_modes"]))
        if tree[0] == "leaf":  # a node whose two branches are the leaf
            tree = ("BRANCH_LEQ", 0, 0.0, 0, tree, tree)
        open_nodes = []

        def place(node):
            at = len(out["nodes_modes"])
            mode = MEMBER if node[0] == "MEMBER" else MODE_5[node[0]]
            out["nodes_modes"].append(mode)
            out["nodes_featureids"].append(node[1])
            out["nodes_splits"].append(0.0 if mode == MEMBER else node[2])
            if mode == MEMBER:
                out["membership_values"] += [*node[2], np.nan]
            out["nodes_missing_value_tracks_true"].append(node[3])
            for key in ("nodes_truenodeids", "nodes_trueleafs", "nodes_falsenodeids", "nodes_falseleafs"):
                out[key].append(0)
            open_nodes.append((at, node))
            return at

        place(tree)
        while open_nodes:
            at, node = open_nodes.pop()
            for side, child in (("true", node[4]), ("false", node[5])):
                is_leaf = child[0] == "leaf"
                out[f"nodes_{side}leafs"][at] = int(is_leaf)
                out[f"nodes_{side}nodeids"][at] = leaf(child) if is_leaf else place(child)
    tensor = lambda name, kind: numpy_helper.from_array(np.array(out[name], dtype=kind), name)
    attributes = {**out, "nodes_modes": tensor("nodes_modes", np.uint8), "nodes_splits": tensor("nodes_splits", number),
                  "leaf_weights": tensor("leaf_weights", number), "membership_values": tensor("membership_values", number)}
    if not out["membership_values"]:
        del attributes["membership_values"]
    return attributes


def case(rng, root, number):
    kind = ["TreeEnsembleRegressor", "TreeEnsembleClassifier", "TreeEnsemble"][number % 3]
    opset = 5 if kind == "TreeEnsemble" else int(rng.choice([1, 3]))
    double = opset > 1 and rng.rand() < 0.35
    float_type = np.float64 if double else np.float32
    onnx_type = TensorProto.DOUBLE if double else TensorProto.FLOAT
    features = int(rng.choice([1, 3, 5]))
    one_mode = rng.rand() < 0.4  # then the runtime takes its fast path
    modes = [MODES[rng.randint(6)]] if one_mode else list(MODES)
    if opset == 5:
        modes = ["MEMBER"] if rng.rand() < 0.15 else modes + (["MEMBER"] if rng.rand() < 0.5 else [])
    aggregate = "SUM" if kind == "TreeEnsembleClassifier" or rng.rand() < 0.4 else AGGREGATES[rng.randint(4)]
    transform = TRANSFORMS[rng.randint(5)]
    outputs = int(rng.choice([1, 1, 2, 3]))
    classes = 3 if outputs == 3 else 2
    classifier = kind == "TreeEnsembleClassifier"
    # Two classes have the weights of one; the runtime takes its label from a sign otherwise.
    width = (3 if classes == 3 else 1) if classifier else outputs
    positive = rng.rand() < 0.5
    has_base = opset < 5 and rng.rand() < 0.5 and transform != "PROBIT"
    # The runtime drops the base value of outputs that a row's leaves do not name, and has no minimum of nothing.
    every = aggregate in ("MIN", "MAX") or has_base or classifier or width == 1 or rng.rand() < 0.5
    if classifier and width == 1 and transform == "LOGISTIC":
        positive = False  # releases disagree about positive weights
    if classifier and width == 1 and transform == "PROBIT":
        transform = "NONE"  # the runtime writes one score of two then
    trees = [grow(rng, int(rng.choice([1, 3, 6])), features, modes, width, positive, rng.rand() < 0.3, every)
             for _ in range(int(rng.choice([1, 4, 30])))]
    if opset == 5:  # one target a leaf; one a tree under MIN and MAX, where leaves must not be silent
        def single(node, k):
            if node[0] == "leaf":
                return "leaf", [node[1][rng.randint(len(node[1])) if k is None else k]]
            return (*node[:4], single(node[4], k), single(node[5], k))
        trees = [single(tree, t % width if aggregate in ("MIN", "MAX") else None) for t, tree in enumerate(trees)]
    if transform == "PROBIT":  # its argument is a probability
        def small(node):
            if node[0] != "leaf":
                return (*node[:4], small(node[4]), small(node[5]))
            return "leaf", [(k, float(np.float32(0.9 * abs(w) % 0.9 / (1 if aggregate != "SUM" else len(trees)) + 0.001))) for k, w in node[1]]
        trees = [small(tree) for tree in trees]
    attributes = {"post_transform": transform}
    if opset == 5:
        attributes = {"post_transform": TRANSFORMS.index(transform), "aggregate_function": AGGREGATES.index(aggregate),
                      "n_targets": outputs, **lists_5(trees, float_type)}
    else:
        prefix = "class" if kind == "TreeEnsembleClassifier" else "target"
        lists = flat_lists(trees, prefix, rng)
        base = [float(np.float32(rng.rand() if positive else rng.randn())) for _ in range(width if has_base else 0)]
        if kind == "TreeEnsembleClassifier":
            labels = {"classlabels_strings": [f"c{i}" for i in range(classes)]} if rng.rand() < 0.5 else {"classlabels_int64s": [3 * i + 1 for i in range(classes)]}
            attributes.update(labels)
        else:
            attributes.update(n_targets=outputs)
            attributes.update(aggregate_function=aggregate)
        if double:
            for name in ("nodes_values", f"{prefix}_weights"):
                lists[f"{name}_as_tensor"] = numpy_helper.from_array(np.array(lists.pop(name), dtype=np.float64), name)
            if base:
                attributes["base_values_as_tensor"] = numpy_helper.from_array(np.array(base, dtype=np.float64), "base")
        elif base:
            attributes["base_values"] = base
        if rng.rand() < 0.3 and not any(lists["nodes_missing_value_tracks_true"]):
            lists.pop("nodes_missing_value_tracks_true")
        attributes.update(lists)
    # Numbers may come as another type and be cast: rounded before double trees, or widened, or integers.
    from_type, from_onnx = [(float_type, onnx_type), (np.float32, TensorProto.FLOAT), (np.float64, TensorProto.DOUBLE),
                            (np.int64, TensorProto.INT64)][rng.randint(4)]
    cast = [] if from_onnx == onnx_type else [helper.make_node("Cast", ["X"], ["cast"], to=onnx_type)]
    names = ["label", "scores"] if kind == "TreeEnsembleClassifier" else ["scores"]
    node = helper.make_node(kind, ["cast" if cast else "X"], names, domain="ai.onnx.ml", **attributes)
    score_type = onnx_type if opset == 5 else TensorProto.FLOAT
    infos = [helper.make_tensor_value_info("scores", score_type, [None, classes if kind == "TreeEnsembleClassifier" else outputs])]
    if kind == "TreeEnsembleClassifier":
        infos.insert(0, helper.make_tensor_value_info("label", TensorProto.STRING if "classlabels_strings" in attributes else TensorProto.INT64, [None]))
    graph = helper.make_graph([*cast, node], "trees", [helper.make_tensor_value_info("X", from_onnx, [None, features])], infos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", opset), helper.make_opsetid("", 15)],
                              producer_name="treeline-parity", ir_version=8)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    truncated = {f for tree in trees for f in big_sets(tree)}
    known = [set() for _ in range(features)]
    for tree in trees:
        thresholds_of(tree, known)
    rows = []
    for _ in range(80):
        row = []
        for f in range(features):
            dice, list_ = rng.randint(5), sorted(known[f])
            if dice == 0 or not list_:
                row.append(rng.choice([0, -0.0, np.nan, 1e-40, -1e-40, 3e38, -3e38, 1, 2, 40, 1.5]))
            elif dice == 4:
                row.append(rng.randint(-3, 9) if rng.rand() < 0.7 else rng.randn())
            else:
                t = float_type(list_[rng.randint(len(list_))])
                row.append([t, np.nextafter(t, float_type(-np.inf)), np.nextafter(t, float_type(np.inf))][dice - 1])
        rows.append(row)
    X = np.array(rows, dtype=float_type)
    beyond = rng.rand(*X.shape) < 0.1
    X[beyond] = rng.choice([np.inf, -np.inf], beyond.sum())
    if truncated:
        X[~np.isfinite(X)] = np.nan
    for f in truncated:  # the runtime cuts fractions off before it looks a number up in such a set
        X[:, f] = np.trunc(X[:, f])
    if from_type is np.int64:
        X = np.trunc(np.nan_to_num(X, posinf=7, neginf=-7)).clip(-1e15, 1e15)
    X = X.astype(from_type)
    results = session.run(None, {"X": X})
    name = f"{number:04d}_{kind[12:].lower() or 'ensemble'}_{opset}_{aggregate.lower()}_{transform.lower()}{'_double' if double else ''}{'_cast' if cast else ''}"
    folder = os.path.join(root, f"onnxruntime-{ort.__version__}", name)
    os.makedirs(folder, exist_ok=True)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    with open(os.path.join(folder, "input.csv"), "w") as file:
        file.write(",".join(f"f{f}" for f in range(features)) + "\n")
        for row in X:
            file.write(",".join("" if v != v else "%.17g" % v if abs(v) < np.inf else "Infinity" if v > 0 else "-Infinity" for v in row) + "\n")
    outputs = {}
    for info, value in zip(session.get_outputs(), results):
        kind_name = "int64" if value.dtype == np.int64 else "string" if value.dtype == object else str(value.dtype)
        outputs[info.name] = {"type": kind_name, "dims": list(value.shape),
                              "data": [v if isinstance(v, (str, int)) else float(v) for v in value.ravel().tolist()]}
    with open(os.path.join(folder, "ort.json"), "w") as file:
        json.dump({"onnxruntime": ort.__version__, "made_by": "tools/parity/onnx_ensembles.py", "outputs": outputs}, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, help="one case")
    args = parser.parse_args()
    refused = {}
    for number in range(args.count) if args.number is None else [args.number]:
        try:
            case(np.random.RandomState(args.seed * 100_000 + number), args.folder, number)
        except Exception as error:  # what the runtime itself does not take
            refused.setdefault(f"{type(error).__name__} {str(error)[-130:]}", []).append(number)
    print(f"{sum(map(len, refused.values()))} models that the runtime itself refuses")
    for reason, numbers in refused.items():
        print("  ", reason, len(numbers), numbers[:5])


if __name__ == "__main__":
    main()
