#!/usr/bin/env python3
"""Writes a scikit-learn tree model as JSON that Treeline imports. Needs only scikit-learn.

    python sklearn_export.py model.pkl model.json          # a pickle or joblib file you trust
    from sklearn_export import export_model                # or from your own script
    open("model.json", "w").write(export_model(clf))

Supported: DecisionTree*, ExtraTree*, RandomForest*, ExtraTrees*, GradientBoosting*,
HistGradientBoosting* and IsolationForest. Categories of a frame are named as a CSV names them: a column
of bools has the levels False and True. Categories that are numbers stay numbers, which Treeline names as
JSON writes them (3, 1.5, 0.00001). Of pandas categories True and False scikit-learn keeps 1 and 0, so
give those. Numbers are written with repr(), so every double arrives with the same bits.
"""
import datetime
import inspect
import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn import ensemble, tree
from sklearn.base import is_classifier


def _names(model, count):
    names = getattr(model, "feature_names_in_", None)
    return [str(n) for n in names] if names is not None else [f"f{i}" for i in range(count)]


def _numbers(values):
    """JSON has neither NaN nor infinities (a split of missing against present has the threshold inf)."""
    def one(v):
        if not isinstance(v, float) or np.isfinite(v):
            return v
        return None if np.isnan(v) else "inf" if v > 0 else "-inf"
    return [one(v) for v in np.asarray(values).tolist()]


def _label(value):
    """A category: a number, or its text. Python has other texts of some numbers (1e-05) than JSON."""
    if value is None:  # a level of its own to scikit-learn, a missing cell in files
        raise TypeError("the category None is not supported, since files have a missing cell in its place: make it NaN or text and train again")
    if isinstance(value, (np.datetime64, np.timedelta64, datetime.datetime, datetime.timedelta)):
        raise TypeError("categories that are times are not supported, since files write them in several ways: make them text")
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return int(value) if float(value).is_integer() else value


def _plain(estimator, value, columns=None):
    """One tree of sklearn.tree; `value` gives each node's numbers."""
    t = estimator.tree_
    feature = t.feature if columns is None else np.where(t.feature >= 0, np.asarray(columns)[np.maximum(t.feature, 0)], -2)
    missing = getattr(t, "missing_go_to_left", np.zeros(t.node_count, dtype=np.uint8))
    return {
        "left": _numbers(t.children_left), "right": _numbers(t.children_right),
        "feature": _numbers(feature), "threshold": _numbers(t.threshold),
        "missing_left": _numbers(missing), "cover": _numbers(t.weighted_n_node_samples),
        "value": _numbers(value(t)),
    }


def _proportions(t):
    values = t.value[:, 0, :]
    total = values.sum(axis=1, keepdims=True)
    if np.allclose(total, 1):  # scikit-learn 1.3 and later store proportions and use them as they are
        return values
    return values / np.where(total == 0, 1, total)


def _scores(t):
    return t.value[:, :, 0]


def _hist(predictor, mapper):
    """One tree of HistGradientBoosting; categories by raw value."""
    out = {k: [] for k in ("left", "right", "feature", "threshold", "missing_left", "cover", "value", "categories")}
    for node in predictor.nodes:
        leaf = bool(node["is_leaf"])
        out["left"].append(-1 if leaf else int(node["left"]))
        out["right"].append(-1 if leaf else int(node["right"]))
        out["feature"].append(-2 if leaf else int(node["feature_idx"]))
        out["threshold"] += _numbers([float(node["num_threshold"])])
        out["missing_left"].append(int(node["missing_go_to_left"]))
        out["cover"].append(float(node["count"]))
        out["value"].append([float(node["value"])])
        categories = None
        if not leaf and node["is_categorical"]:
            words = predictor.raw_left_cat_bitsets[int(node["bitset_idx"])]
            categories = [w * 32 + b for w in range(len(words)) for b in range(32) if int(words[w]) >> b & 1]
        out["categories"].append(categories)
    return out


def _known_categories(model):
    """Raw category codes seen in training, by feature; None where a feature is numeric."""
    mapper = model._bin_mapper
    flags = getattr(mapper, "is_categorical_", None)
    known = [None] * model.n_features_in_
    if flags is None:
        return known
    for f, flag in enumerate(flags):
        if flag:
            known[f] = [int(v) for v in mapper.bin_thresholds_[f]]
    return known


def _columns_as_given(doc, order):
    """Undoes the encoder's order of columns: rows without names go by the place of their numbers."""
    for key in ("levels", "known_categories"):
        given = [None] * len(order)
        for at, column in enumerate(order):
            given[column] = doc[key][at]
        doc[key] = given
    for t in doc["trees"]:
        t["feature"] = [int(order[f]) if f >= 0 else f for f in t["feature"]]


def _check_methods(model):
    """A subclass that predicts in its own way must not pass for its parent."""
    for name in ("predict", "predict_proba", "score_samples", "_raw_predict"):
        method = getattr(type(model), name, None)
        module = getattr(inspect.unwrap(method), "__module__", "") if method is not None else "sklearn"
        if not module.split(".")[0] == "sklearn":
            raise TypeError(f"{type(model).__name__}.{name} comes from {module}, not from scikit-learn: not supported")


def _refuses_missing(model):
    """Whether scikit-learn scores no row with a missing value, as before 1.4 and in GradientBoosting."""
    if isinstance(model, (ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor)):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names
        try:
            model.predict(np.full((1, model.n_features_in_), np.nan))
        except ValueError:
            return True
    return False


def export_dict(model):
    """The document as a dict."""
    _check_methods(model)
    doc = {
        "treeline_sklearn": 1, "version": sklearn.__version__, "model": type(model).__name__,
        "classes": None, "link": "identity", "scale": 1.0, "base": [0.0], "aggregate": "sum",
        "input": "f32", "outputs": 1, "width": 1, "tree_output": None,
    }
    if is_classifier(model) and not isinstance(model.classes_, list):
        doc["classes"] = [str(c.item() if hasattr(c, "item") else c) for c in model.classes_]
    forests = (ensemble.RandomForestClassifier, ensemble.RandomForestRegressor,
               ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor)
    if isinstance(model, ensemble.IsolationForest):
        # score = 2^(-depth / c(max_samples)); as an average of leaf depths under an exp link.
        from sklearn.ensemble._iforest import _average_path_length
        scale = -np.log(2.0) / float(_average_path_length([model._max_samples])[0])
        trees = []
        for member, columns in zip(model.estimators_, model.estimators_features_):
            t = member.tree_
            depth = np.zeros(t.node_count)
            for node in range(t.node_count):
                for child in (t.children_left[node], t.children_right[node]):
                    if child >= 0:
                        depth[child] = depth[node] + 1
            length = depth + _average_path_length(t.n_node_samples)
            trees.append(_plain(member, lambda _: (length * scale)[:, None], columns))
        doc.update(link="exp", aggregate="average", trees=trees, offset=float(model.offset_),
                   note="value is the anomaly score, -score_samples()")
    elif isinstance(model, (tree.DecisionTreeClassifier, tree.DecisionTreeRegressor) + forests):
        members = model.estimators_ if isinstance(model, forests) else [model]
        if is_classifier(model):
            if isinstance(model.classes_, list):
                raise TypeError("classifiers of several outputs are not supported")
            width = len(model.classes_)
            doc.update(link="probability", width=width, outputs=width)
            trees = [_plain(m, _proportions) for m in members]
        else:
            width = members[0].tree_.value.shape[1]
            doc.update(width=width, outputs=width)
            trees = [_plain(m, _scores) for m in members]
        doc.update(aggregate="average", trees=trees)
    elif isinstance(model, (ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor)):
        members = model.estimators_
        outputs = members.shape[1]
        start = model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32))
        if model.init is not None and model.init != "zero":
            raise TypeError("GradientBoosting with its own init estimator is not supported")
        link = "identity"
        if is_classifier(model):
            link = "softmax" if outputs > 1 else "sigmoid"
            if model.loss == "exponential":
                doc["scale"] = 2.0
        doc.update(link=link, outputs=outputs, base=[float(v) for v in np.ravel(start)],
                   weight=float(model.learning_rate),
                   trees=[_plain(m, _scores) for row in members for m in row],
                   tree_output=[k for _ in members for k in range(outputs)])
    elif isinstance(model, (ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor)):
        encoder = getattr(model, "_preprocessor", None)
        if encoder is not None:  # it encodes categories and puts these columns first
            mask = np.asarray(model.is_categorical_)
            order = np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)])
            levels = encoder.named_transformers_["encoder"].categories_
            doc["levels"] = [[_label(v) for v in level if v == v] for level in levels] + [None] * int((~mask).sum())
        outputs = model.n_trees_per_iteration_
        link = "identity"
        if is_classifier(model):
            link = "softmax" if outputs > 1 else "sigmoid"
        elif model.loss in ("poisson", "gamma"):
            link = "exp"
        doc.update(link=link, outputs=outputs, input="f64",
                   base=[float(v) for v in np.ravel(model._baseline_prediction)],
                   trees=[_hist(p, model._bin_mapper) for row in model._predictors for p in row],
                   tree_output=[k for _ in model._predictors for k in range(outputs)],
                   known_categories=_known_categories(model))
        if encoder is not None:
            _columns_as_given(doc, order)
    else:
        raise TypeError(f"{type(model).__name__} is not supported: expected a tree, a forest, gradient boosting "
                        "or an isolation forest of scikit-learn")
    doc.setdefault("features", _names(model, model.n_features_in_))
    doc["named"] = getattr(model, "feature_names_in_", None) is not None
    doc["missing"] = "heavier" if _refuses_missing(model) else "learnt"
    return doc


def export_model(model):
    """The document as JSON text."""
    return json.dumps(export_dict(model), allow_nan=False)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        import joblib
        loaded = joblib.load(sys.argv[1])
    except ImportError:
        import pickle
        with open(sys.argv[1], "rb") as file:
            loaded = pickle.load(file)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(export_model(loaded))
