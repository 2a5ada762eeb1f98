"""Derivatives of XGBoost's ranking losses, row by row, read from a first tree that gives each row
a leaf of its own: cover is h, the value of a leaf is -g/h (lambda 0, learning rate 1).

The weighted cases give XGBoost a weight a query, LightGBM a weight a row; its leaves may hold several
rows, whose sums they tell.

Run: python tests/golden/ranking/recipe.py > tests/golden/ranking/xgboost.json
"""
import json
import lightgbm as lgb
import numpy as np
import xgboost as xgb

rng = np.random.default_rng(5)
qid = np.array([0] * 7 + [1] * 4 + [2] * 3)
y = np.array([0, 2, 1, 0, 3, 1, 0, 1, 0, 2, 0, 0, 1, 1])
raw = np.round(rng.uniform(-1, 1, len(y)), 3)
raw[2] = raw[4]
X = np.arange(len(y), dtype=float).reshape(-1, 1)
cases = []
for objective in ["rank:ndcg", "rank:map", "rank:pairwise"]:
    for normalise in [True, False]:
        for truncation in [32, 2]:
            for gain in ["exponential", "linear"] if objective == "rank:ndcg" else ["exponential"]:
                label = (y > 0).astype(int) if objective == "rank:map" else y
                rows = xgb.DMatrix(X, label=label, qid=qid, base_margin=raw)
                params = dict(
                    objective=objective, eta=1, reg_lambda=0, min_child_weight=0, max_depth=14,
                    tree_method="exact", lambdarank_pair_method="topk",
                    lambdarank_num_pair_per_sample=truncation,
                    lambdarank_normalization=normalise, lambdarank_score_normalization=normalise,
                    ndcg_exp_gain=gain == "exponential", nthread=1)
                booster = xgb.train(params, rows, 1)
                leaf = booster.predict(rows, pred_leaf=True).astype(int).ravel()
                table = booster.trees_to_dataframe()
                table = table[table.Feature == "Leaf"].set_index("Node").loc[leaf]
                h = table.Cover.to_numpy()
                g = -table.Gain.to_numpy() * h
                cases.append(dict(loss=objective, rankNormalise=normalise, rankTruncation=truncation,
                                  rankGain=gain, gradient=[float(f"{v:.9g}") for v in g],
                                  hessian=[float(f"{v:.9g}") for v in h]))
perQuery = np.array([0.5, 3, 0.25])
perRow = np.round(rng.uniform(0, 3, len(y)), 2)
perRow[4] = 0
weighted = []
for objective in ["rank:ndcg", "rank:map", "rank:pairwise"]:
    label = (y > 0).astype(int) if objective == "rank:map" else y
    rows = xgb.DMatrix(X, label=label, qid=qid, base_margin=raw, weight=perQuery)
    booster = xgb.train(dict(
        objective=objective, eta=1, reg_lambda=0, min_child_weight=0, max_depth=14,
        tree_method="exact", lambdarank_pair_method="topk", lambdarank_num_pair_per_sample=32,
        nthread=1), rows, 1)
    leaf = booster.predict(rows, pred_leaf=True).astype(int).ravel()
    table = booster.trees_to_dataframe()
    table = table[table.Feature == "Leaf"].set_index("Node").loc[leaf]
    h = table.Cover.to_numpy()
    g = -table.Gain.to_numpy() * h
    weighted.append(dict(loss=objective, library="xgboost", weight=perQuery[qid].tolist(),
                         gradient=[float(f"{v:.9g}") for v in g],
                         hessian=[float(f"{v:.9g}") for v in h]))
for normalise in [True, False]:
    rows = lgb.Dataset(X, label=y, group=[7, 4, 3], weight=perRow, init_score=raw)
    booster = lgb.train(dict(
        objective="lambdarank", learning_rate=1, num_leaves=14, min_data_in_leaf=1,
        min_sum_hessian_in_leaf=0, min_data_in_bin=1, lambdarank_norm=normalise,
        lambdarank_truncation_level=30, num_threads=1, deterministic=True, verbose=-1), rows, 1)
    table = booster.trees_to_dataframe()
    leaves = table[table.left_child.isna()]
    where = booster.predict(X, pred_leaf=True).ravel()
    names = [f"0-L{int(k)}" for k in where]
    by = leaves.set_index("node_index").loc[names]
    weighted.append(dict(loss="lambdarank", library="lightgbm", rankNormalise=normalise,
                         weight=perRow.tolist(), leaf=[int(k) for k in where],
                         gradient=[float(f"{-v * w:.9g}") for v, w in zip(by.value, by.weight)],
                         hessian=[float(f"{w:.9g}") for w in by.weight]))
print(json.dumps(dict(version=xgb.__version__, group=qid.tolist(), relevance=y.tolist(),
                      raw=raw.tolist(), cases=cases, weighted=weighted)))
