#!/usr/bin/env python3
"""Trains XGBoost and LightGBM models of unusual parameter mixes and writes down what they say.

    python tools/parity/boosters.py FOLDER [--count 200] [--seed 1]

Every case is a folder `library-version/number_kind` with the model in each format of its library, the
rows it was asked, and margins, responses, leaves and contributions. `deno run -A tools/parity/compare.ts
FOLDER` imports the models and compares. Needs numpy, pandas, xgboost and lightgbm.
"""
import argparse
import json
import os
import warnings

import lightgbm as lgb
import numpy as np
import pandas as pd
import xgboost as xgb

warnings.filterwarnings("ignore")
F32 = np.float32


def write_table(path, header, rows, digits):
    """CSV where empty is missing; nine digits name a float32, seventeen a double."""
    with open(path, "w") as file:
        file.write(",".join(header) + "\n")
        for row in rows:
            file.write(",".join("" if v != v else "%.*g" % (digits, v) for v in np.atleast_1d(row)) + "\n")


def write_rows(folder, name, values, digits):
    """One line a row, everything else in its columns."""
    values = np.asarray(values)
    values = values.reshape(len(values), -1)
    write_table(os.path.join(folder, name), [f"c{i}" for i in range(values.shape[1])], values, digits)


def write_strings(folder, names, rows, numeric, levels, digits):
    """The same rows with the names of the levels."""
    with open(os.path.join(folder, "input_strings.csv"), "w") as file:
        file.write(",".join(names) + "\n")
        for row in rows:
            cells = ["" if v != v else "%.*g" % (digits, v) for v in row[:numeric]]
            for known, v in zip(levels, row[numeric:]):
                known_code = v == v and v < len(known)
                cells.append('"' + known[int(v)].replace('"', '""') + '"' if known_code else "")
            file.write(",".join(cells) + "\n")


def write_meta(folder, library, version, params, rounds, formats, tolerance, **more):
    params = {k: v for k, v in params.items() if not callable(v)}
    meta = {"library": library, "version": version, "params": params, "rounds": rounds, "input": "input.csv",
            "formats": formats, "tolerance": tolerance, "made_by": "tools/parity/boosters.py", **more}
    with open(os.path.join(folder, "meta.json"), "w") as file:
        json.dump(meta, file, indent=1, default=float)
        file.write("\n")


def frame_of(values, names, numeric, levels):
    """A pandas frame whose last columns are categories; codes outside are missing."""
    frame = pd.DataFrame({names[f]: values[:, f] for f in range(numeric)})
    for c, known in enumerate(levels):
        cells = [None if v != v or v >= len(known) else known[int(v)] for v in values[:, numeric + c]]
        frame[names[numeric + c]] = pd.Categorical(cells, categories=known)
    return frame


def table(rng, rows, numeric, categorical, missing, zeros, tiny):
    """Numbers with holes, exact zeros and values about 1e-35; then columns of category codes."""
    X = rng.randn(rows, numeric) * 10.0 ** rng.randint(-2, 3, numeric)
    if numeric > 2:
        X[:, 1] = rng.randint(0, 4, rows)  # few distinct values
    X[rng.rand(rows, numeric) < zeros] = 0.0
    if tiny:
        hit = rng.rand(rows, numeric) < 0.15
        zero = float(F32(1e-35))
        X[hit] = rng.choice([1e-36, -1e-36, zero, -zero, 2e-35, -2e-35, -0.0], hit.sum())
    sizes = [int(rng.choice([2, 4, 9, 40])) for _ in range(categorical)]
    C = np.column_stack([rng.randint(0, k, rows) for k in sizes]) if sizes else np.zeros((rows, 0))
    X = np.hstack([X, C.astype(float)])
    if missing > 0:
        X[rng.rand(*X.shape) < missing] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.sin(np.nan_to_num(X).sum(axis=1))
    if sizes:
        score = score + np.where(np.nan_to_num(X[:, numeric], nan=1) % 2 == 0, 1.5, -1.0)
    return X, sizes, (score - score.mean()) / (score.std() + 1e-9)


def edges(rng, X, thresholds, numeric, sizes, beside, special, count):
    """Rows of the table whose cells are replaced by thresholds, their neighbours and special numbers."""
    base = X[rng.randint(0, len(X), count)].copy()
    for row in base:
        for f in range(X.shape[1]):
            if rng.rand() < 0.4:
                continue
            if f >= numeric:
                row[f] = rng.choice([0, sizes[f - numeric] - 1, sizes[f - numeric], sizes[f - numeric] + 3, np.nan])
                continue
            dice = rng.randint(4)
            if dice == 0 or len(thresholds[f]) == 0:
                row[f] = rng.choice(special)
            else:
                t = thresholds[f][rng.randint(len(thresholds[f]))]
                row[f] = [t, beside(t, -np.inf), beside(t, np.inf)][dice - 1]
    return base


def target(rng, score, kind, classes):
    """Labels that an objective accepts."""
    noisy = score + 0.3 * rng.randn(len(score))
    if kind == "binary":
        return (noisy > 0.3).astype(float)
    if kind == "classes":
        return np.clip(np.digitize(noisy, np.linspace(-1, 1, classes - 1)), 0, classes - 1).astype(float)
    if kind == "positive":
        return np.exp(np.clip(noisy, -4, 4))
    if kind == "count":
        return rng.poisson(np.exp(np.clip(noisy, -3, 2))).astype(float)
    if kind == "unit":
        return 1 / (1 + np.exp(-noisy))
    if kind == "rank":
        return np.clip(np.round(noisy + 2), 0, 4)
    return noisy * 7 + 3


def draw(rng, choices):
    return {name: values[rng.randint(len(values))] for name, values in choices.items()}


XGB = [
    ("reg:squarederror", "real"), ("reg:squaredlogerror", "positive"), ("reg:logistic", "unit"),
    ("reg:pseudohubererror", "real"), ("reg:absoluteerror", "real"), ("reg:quantileerror", "real"),
    ("binary:logistic", "binary"), ("binary:logitraw", "binary"), ("binary:hinge", "binary"),
    ("count:poisson", "count"), ("survival:cox", "cox"), ("survival:aft", "aft"),
    ("multi:softmax", "classes"), ("multi:softprob", "classes"), ("rank:pairwise", "rank"),
    ("rank:ndcg", "rank"), ("rank:map", "rankbin"), ("reg:gamma", "positive"), ("reg:tweedie", "count"),
    ("multi-target", "real"), ("multi-label", "binary"),
]


def xgb_case(rng, root, number):
    objective, kind = XGB[number % len(XGB)]
    rows, numeric = int(rng.choice([80, 300, 700])), int(rng.choice([1, 3, 6]))
    method = rng.choice(["hist", "hist", "exact", "approx"])
    categorical = 0 if method == "exact" else int(rng.choice([0, 0, 2]))
    X, sizes, score = table(rng, rows, numeric, categorical, rng.choice([0, 0.15, 0.5]), rng.choice([0, 0.4]), rng.rand() < 0.3)
    X = X.astype(F32)
    classes = int(rng.choice([2, 3, 5]))
    params = {"tree_method": method, "verbosity": 0, "seed": int(rng.randint(1000)), "nthread": 1}
    params.update(draw(rng, {
        "max_depth": [1, 2, 6, 12], "eta": [0.03, 0.3, 1.0], "min_child_weight": [0, 1, 5],
        "subsample": [1, 0.5], "colsample_bytree": [1, 0.7], "colsample_bynode": [1, 0.8],
        "gamma": [0, 0, 0.5, 3], "lambda": [1, 0, 10], "alpha": [0, 1], "max_delta_step": [0, 0.7],
        "num_parallel_tree": [1, 1, 3], "grow_policy": ["depthwise", "lossguide"], "max_leaves": [0, 7],
        "max_bin": [256, 16], "scale_pos_weight": [1, 3]}))
    if method == "exact":
        for name in ("grow_policy", "max_leaves", "max_bin", "colsample_bynode"):
            params.pop(name)
    if categorical:
        params["max_cat_to_onehot"] = int(rng.choice([1, 4, 100]))
    if rng.rand() < 0.3:
        params["base_score"] = float(rng.choice([0.5, 0.1, 0.999999, 1e-6, 0.73]))
    if rng.rand() < 0.2 and method != "approx" and categorical == 0:
        params["monotone_constraints"] = "(" + ",".join(str(rng.randint(-1, 2)) for _ in range(numeric)) + ")"
    dart = rng.rand() < 0.3
    if dart:
        params.update(draw(rng, {"booster": ["dart"], "rate_drop": [0.1, 0.5], "one_drop": [0, 1], "skip_drop": [0, 0.5],
                                 "normalize_type": ["tree", "forest"], "sample_type": ["uniform", "weighted"]}))
    y = target(rng, score, {"cox": "positive", "aft": "positive", "rankbin": "binary"}.get(kind, kind), classes)
    if kind == "cox":
        y = np.where(rng.rand(rows) < 0.3, -y, y)
    if kind == "aft":
        # Without regularisation scores reach 1e16, where float32 contributions cancel.
        params.update(draw(rng, {"aft_loss_distribution": ["normal", "logistic", "extreme"]}),
                      aft_loss_distribution_scale=1.2, **{"lambda": 1})
    if objective == "reg:quantileerror":
        params["quantile_alpha"] = [[0.5], [0.1, 0.5, 0.9]][rng.randint(2)]
    if objective.startswith("multi:"):
        params["num_class"] = max(3, classes) if objective == "multi:softmax" else classes
    if objective == "multi-target":
        objective, y = "reg:squarederror", np.column_stack([y, -2 * y + 1, y ** 2 / 50])
    if objective == "multi-label":
        objective, y = "binary:logistic", np.column_stack([y, 1 - y])
    params["objective"] = objective
    several = y.ndim > 1 or objective.startswith("multi:") or len(params.get("quantile_alpha", [])) > 1
    vector = method == "hist" and not categorical and not dart and several and rng.rand() < 0.5
    if vector:
        params["multi_strategy"] = "multi_output_tree"
        for name in ("gamma", "monotone_constraints", "max_delta_step", "grow_policy", "max_leaves", "alpha"):
            params.pop(name, None)
    names = [f"f{i}" for i in range(X.shape[1])]
    types = ["float"] * numeric + ["c"] * categorical
    strings = categorical > 0 and rng.rand() < 0.5
    # Before 3.4 the library itself cuts names outside ASCII wrongly; then codes are what an importer can take.
    letter = "é" if rng.rand() < 0.2 else "e"
    levels = [["lvl %s%03d" % (letter, c) if rng.rand() < 0.9 else 'a,b "%d"' % c for c in range(k)] for k in sizes]

    def matrix(values, label=None):
        if strings:
            return xgb.DMatrix(frame_of(values, names, numeric, levels), label, enable_categorical=True)
        return xgb.DMatrix(values, label, feature_names=names, feature_types=types, enable_categorical=True)

    train = matrix(X, y if kind != "aft" else None)
    if kind == "aft":
        train.set_float_info("label_lower_bound", y)
        train.set_float_info("label_upper_bound", np.where(rng.rand(rows) < 0.3, np.inf, y))
    grouped = kind in ("rank", "rankbin")
    if grouped:
        train.set_group([rows // 4] * 4)
    rounds = int(rng.choice([1, 6, 15]))
    booster = xgb.train(params, train, rounds)
    if rng.rand() < 0.15 and not (dart or vector or grouped or kind in ("aft", "cox")):
        # Old trees are refreshed and pruned in place: deleted nodes stay in the file.
        booster = xgb.train({**params, "process_type": "update", "updater": "refresh,prune", "refresh_leaf": True,
                             "gamma": 2.0}, train, rounds, xgb_model=booster)
    if rng.rand() < 0.15 and booster.num_boosted_rounds() > 3 and not dart:
        booster = booster[1:3]
    document = json.loads(booster.save_raw("json").decode().replace("NaN", "null"))
    model = document["learner"]["gradient_booster"]
    model = model.get("gbtree", model)["model"]
    thresholds = [[] for _ in names]
    for tree in model["trees"]:
        for node, left in enumerate(tree["left_children"]):
            if left != -1 and tree["split_type"][node] == 0 and tree["split_conditions"][node] is not None:
                thresholds[tree["split_indices"][node]].append(F32(tree["split_conditions"][node]))
    special = np.array([0, -0.0, 1e-45, -1e-45, 1e-40, 3.4028235e38, -3.4028235e38, np.nan], dtype=F32)
    T = np.vstack([X[:60], edges(rng, X, thresholds, numeric, sizes, lambda t, to: np.nextafter(F32(t), F32(to)), special, 90)])
    T = T.astype(F32)
    T[~np.isfinite(T)] = np.nan  # the library takes no infinities
    if strings:  # nor levels without a name
        for c in range(categorical):
            T[T[:, numeric + c] >= sizes[c], numeric + c] = np.nan
    folder = os.path.join(root, f"xgboost-{xgb.__version__}", f"{number:04d}_{objective.replace(':', '_')}")
    os.makedirs(folder, exist_ok=True)
    booster.save_model(os.path.join(folder, "model.json"))
    booster.save_model(os.path.join(folder, "model.ubj"))
    again = xgb.Booster(model_file=os.path.join(folder, "model.ubj"))
    again.set_param({"nthread": 1})
    data = matrix(T)
    write_table(os.path.join(folder, "input.csv"), names, T, 9)
    if strings:
        write_strings(folder, names, T, numeric, levels, 9)
    write_rows(folder, "margin.csv", again.predict(data, output_margin=True), 9)
    write_rows(folder, "pred.csv", again.predict(data), 9)
    write_rows(folder, "leaf.csv", again.predict(data, pred_leaf=True), 9)
    if not vector:
        write_rows(folder, "contribs.csv", again.predict(data, pred_contribs=True), 9)
    write_meta(folder, "xgboost", xgb.__version__, params, rounds, ["model.json", "model.ubj"], 1e-5,
               strings=bool(strings), vector=bool(vector))


LGB = [
    ("regression", "real"), ("regression_l1", "real"), ("huber", "real"), ("fair", "real"), ("quantile", "real"),
    ("mape", "real"), ("poisson", "count"), ("gamma", "positive"), ("tweedie", "count"), ("binary", "binary"),
    ("multiclass", "classes"), ("multiclassova", "classes"), ("cross_entropy", "unit"),
    ("cross_entropy_lambda", "unit"), ("lambdarank", "rank"), ("rank_xendcg", "rank"), ("regression sqrt", "positive"),
    ("custom", "real"), ("regression_l1 sqrt", "real"), ("fair sqrt", "real"), ("quantile sqrt", "real"),
    ("mape sqrt", "real"),
]
NO_LINEAR = ("regression_l1", "quantile", "mape", "regression_l1 sqrt", "fair sqrt", "quantile sqrt", "mape sqrt", "lambdarank", "rank_xendcg", "huber", "fair")


def lgb_case(rng, root, number):
    objective, kind = LGB[number % len(LGB)]
    rows, numeric, categorical = int(rng.choice([100, 400, 900])), int(rng.choice([1, 3, 6])), int(rng.choice([0, 0, 2]))
    classes = int(rng.choice([3, 5]))
    X, sizes, score = table(rng, rows, numeric, categorical, rng.choice([0, 0.15, 0.5]), rng.choice([0, 0.4]), rng.rand() < 0.4)
    y = target(rng, score, kind, classes)
    params = {"verbosity": -1, "seed": int(rng.randint(1000)), "num_threads": 1, "deterministic": True,
              "force_row_wise": True, "min_data_in_bin": 1}
    params.update(draw(rng, {
        "num_leaves": [2, 7, 31, 63], "learning_rate": [0.05, 0.3], "min_data_in_leaf": [1, 5, 20], "lambda_l2": [0, 3],
        "max_bin": [255, 15], "feature_fraction": [1, 0.6], "max_depth": [-1, 3], "use_missing": [True, True, False],
        "zero_as_missing": [False, False, True], "boost_from_average": [True, False], "extra_trees": [False, False, True],
        "path_smooth": [0, 2.0], "max_cat_to_onehot": [4, 1, 100], "min_data_per_group": [1, 50], "cat_smooth": [10, 0.1],
        "max_delta_step": [0, 0.5], "linear_tree": [False, False, True], "boosting": ["gbdt", "gbdt", "dart", "rf"]}))
    if objective in NO_LINEAR or params["boosting"] == "rf":
        params["linear_tree"] = False
    if params["linear_tree"]:
        params["zero_as_missing"] = False  # the library wants it so
    if objective == "custom":
        params["boosting"] = "gbdt"
    if params["boosting"] == "rf":
        params.update(bagging_freq=1, bagging_fraction=0.6)
    if objective == "binary":
        params.update(draw(rng, {"sigmoid": [1, 2.5, 0.3], "is_unbalance": [False, True]}))
    if objective in ("multiclass", "multiclassova"):
        params["num_class"] = classes
    if objective == "multiclassova":
        params["sigmoid"] = float(rng.choice([1, 1.7]))
    if objective.endswith(" sqrt"):
        params.update(objective=objective.split()[0], reg_sqrt=True)
    elif objective == "custom":
        params["objective"] = lambda p, d: (p - d.get_label(), np.ones_like(p))
    else:
        params["objective"] = objective
    names = [f"f{i}" for i in range(X.shape[1])]
    frames = categorical > 0 and rng.rand() < 0.5
    levels = [["L%d" % c for c in range(k)] for k in sizes]

    def data(values):
        return frame_of(values, names, numeric, levels) if frames else values

    def dataset():
        columns = {"categorical_feature": list(range(numeric, numeric + categorical))} if not frames and categorical else {}
        group = [rows // 4] * 4 if kind == "rank" else None
        return lgb.Dataset(data(X), y, group=group, free_raw_data=False, **columns)

    rounds = int(rng.choice([1, 8, 20]))
    booster = lgb.train(params, dataset(), rounds)
    switched = rng.rand() < 0.25 and params["boosting"] == "gbdt" and objective != "custom"
    if switched:
        # Training goes on under another rule for zeros: nodes of one feature differ in their missing kind.
        booster = lgb.train({**params, "zero_as_missing": not params["zero_as_missing"], "use_missing": True,
                             "linear_tree": False}, dataset(), 5, init_model=booster)
    thresholds = [[] for _ in names]
    for block in booster.model_to_string().split("\nTree=")[1:]:
        fields = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        for f, t, d in zip(fields["split_feature"].split(), fields["threshold"].split(), fields["decision_type"].split()):
            if int(d) & 1 == 0:
                thresholds[int(f)].append(float(t))
    zero = float(F32(1e-35))
    special = np.array([0, -0.0, 5e-324, -5e-324, zero, -zero, np.nextafter(zero, 1), np.nextafter(-zero, -1),
                        np.nextafter(zero, 0), np.inf, -np.inf, 1e300, -1e300, np.nan])
    T = np.vstack([X[:60], edges(rng, X, thresholds, numeric, sizes, np.nextafter, special, 120)])
    if params["linear_tree"]:
        T[~(np.abs(T) < 1e200)] = np.nan  # a sum of infinities is NaN, and log1p(exp(1e300)) overflows
    if categorical and not frames:
        odd = rng.rand(len(T)) < 0.15
        T[odd, numeric] = rng.choice([-1, -3.5, 0.5, 1.9, 1e9, -0.0], odd.sum())
    folder = os.path.join(root, f"lightgbm-{lgb.__version__}", f"{number:04d}_{objective.replace(' ', '_')}")
    os.makedirs(folder, exist_ok=True)
    booster.save_model(os.path.join(folder, "model.txt"))
    again = lgb.Booster(model_file=os.path.join(folder, "model.txt"))
    asked = data(T)
    write_table(os.path.join(folder, "input.csv"), names, T, 17)
    if frames:
        write_strings(folder, names, T, numeric, levels, 17)
    write_rows(folder, "raw.csv", again.predict(asked, raw_score=True), 17)
    write_rows(folder, "pred.csv", again.predict(asked), 17)
    write_rows(folder, "leaf.csv", again.predict(asked, pred_leaf=True), 17)
    if not params["linear_tree"]:  # the library has no contributions of linear trees
        write_rows(folder, "contribs.csv", again.predict(asked, pred_contrib=True), 17)
    write_meta(folder, "lightgbm", lgb.__version__, params, rounds, ["model.txt"], 1e-9,
               frames=bool(frames), switched=bool(switched))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=200, help="models of each library")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one library")
    parser.add_argument("--number", type=int, help="one case")
    args = parser.parse_args()
    makers = {"xgboost": xgb_case, "lightgbm": lgb_case}
    for name, make in makers.items():
        if args.only not in (None, name):
            continue
        refused = {}
        for number in range(args.count) if args.number is None else [args.number]:
            rng = np.random.RandomState(args.seed * 100_000 + number)
            try:
                make(rng, args.folder, number)
            except (xgb.core.XGBoostError, lgb.basic.LightGBMError) as error:
                reason = [line for line in str(error).splitlines() if line][0][-120:]
                refused.setdefault(reason, []).append(number)
        print(f"{name}: {sum(map(len, refused.values()))} mixes that the library itself refuses")
        for reason, numbers in refused.items():
            print("  ", reason, numbers[:5])


if __name__ == "__main__":
    main()
