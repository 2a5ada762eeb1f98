"""Metrics of XGBoost, LightGBM and scikit-learn on small data with ties, weights, one class and
queries without a relevant item.

Run: python tests/golden/metrics/recipe.py > tests/golden/metrics/peers.json
"""
import json
import warnings
import lightgbm as lgb
import numpy as np
import sklearn
import sklearn.metrics as skm
import xgboost as xgb

warnings.simplefilter("ignore")
rng = np.random.default_rng(9)
n = 40
cases = []


def logit(p):
    return np.log(p / (1 - p))


def add(data, peer, name, ours, value, weighted):
    # Values that are not numbers are left out of JSON.
    cases.append(dict(data=data, peer=peer, name=name, ours=ours, weighted=weighted,
                      value=None if value is None or np.isnan(value) else float(value)))


def xgb_value(metric, objective, y, margin, weight=None, qid=None, **params):
    kw = {}
    if qid is not None:
        kw["qid"] = qid
        if weight is not None:  # one weight a query
            weight = np.array([weight[qid == q].mean() for q in np.unique(qid)])
    d = xgb.DMatrix(np.zeros((len(y), 1)), label=y, weight=weight, base_margin=margin, **kw)
    b = xgb.train(dict(objective=objective, eval_metric=metric, disable_default_eval_metric=1,
                       base_score=0.5, nthread=1, **params), d, 0)
    return float(b.eval(d).split(":")[-1])


def lgb_value(metric, objective, y, margin, weight=None, group=None, **params):
    # One constant feature, no average to start from: nothing is learnt and the init score stays.
    kw = dict(weight=weight, group=group, init_score=margin, free_raw_data=False)
    d = lgb.Dataset(np.zeros((len(y), 1)), label=y, **kw)
    found = {}
    lgb.train(dict(objective=objective, metric=metric, boost_from_average=False, verbose=-1,
                   num_threads=1, deterministic=True, **params), d, 1, valid_sets=[d],
              valid_names=["v"], callbacks=[lgb.record_evaluation(found)])
    return list(found["v"].values())[0][-1]


datasets = {}
weight = np.round(rng.uniform(0.1, 3, n), 2)
weight[3] = 0

# Numbers.
y = np.round(rng.normal(0, 3, n), 2)
y[5] = 0
f = np.round(y + rng.normal(0, 1.5, n), 2)
datasets["numbers"] = dict(y=y.tolist(), response=f.tolist(), weight=weight.tolist())
for w, isw in [(None, False), (weight, True)]:
    for name, ours in [("rmse", "rmse"), ("mae", "mae")]:
        add("numbers", "xgboost", name, ours, xgb_value(name, "reg:squarederror", y, f, w), isw)
    add("numbers", "xgboost", "mphe", "pseudoHuber@2",
        xgb_value("mphe", "reg:pseudohubererror", y, f, w, huber_slope=2), isw)
    for name, ours, kw in [("l1", "mae", {}), ("l2", "mse", {}), ("rmse", "rmse", {}),
                           ("huber", "huber@0.9", dict(alpha=0.9)), ("fair", "fair@1.5", dict(fair_c=1.5)),
                           ("quantile", "quantile@0.8", dict(alpha=0.8)), ("r2", "r2", {})]:
        add("numbers", "lightgbm", name, ours, lgb_value(name, "regression", y, f, w, **kw), isw)
    add("numbers", "sklearn", "r2_score", "r2", skm.r2_score(y, f, sample_weight=w), isw)
    add("numbers", "sklearn", "mean_absolute_percentage_error", "mape",
        skm.mean_absolute_percentage_error(y, f, sample_weight=w), isw)
    add("numbers", "sklearn", "mean_pinball_loss", "quantile@0.8",
        skm.mean_pinball_loss(y, f, alpha=0.8, sample_weight=w), isw)

# Numbers away from zero: XGBoost and LightGBM divide by |y| there alike.
y1 = np.where(np.abs(y) < 1, 1.5, y)
datasets["awayFromZero"] = dict(y=y1.tolist(), response=f.tolist(), weight=weight.tolist())
for w, isw in [(None, False), (weight, True)]:
    add("awayFromZero", "xgboost", "mape", "mape", xgb_value("mape", "reg:squarederror", y1, f, w), isw)
    add("awayFromZero", "lightgbm", "mape", "mape", lgb_value("mape", "regression", y1, f, w), isw)

# Amounts.
a = np.round(rng.gamma(2, 3, n), 2) + 0.01
g = np.round(rng.normal(1.5, 0.5, n), 3)
datasets["amounts"] = dict(y=a.tolist(), response=np.exp(g).tolist(), weight=weight.tolist())
for w, isw in [(None, False), (weight, True)]:
    add("amounts", "xgboost", "rmsle", "rmsle",
        xgb_value("rmsle", "reg:squarederror", a, np.exp(g), w), isw)
    for name, ours in [("gamma-nloglik", "gammaNll"), ("gamma-deviance", "gammaDeviance")]:
        add("amounts", "xgboost", name, ours, xgb_value(name, "reg:gamma", a, g, w), isw)
    add("amounts", "xgboost", "tweedie-nloglik@1.3", "tweedieNll@1.3",
        xgb_value("tweedie-nloglik@1.3", "reg:tweedie", a, g, w, tweedie_variance_power=1.3), isw)
    add("amounts", "lightgbm", "gamma", "gammaNll", lgb_value("gamma", "gamma", a, g, w), isw)
    # LightGBM adds the deviance of all rows up where others take the mean.
    add("amounts", "lightgbm", "gamma_deviance", "gammaDeviance * rows",
        lgb_value("gamma_deviance", "gamma", a, g, w), isw)
    add("amounts", "lightgbm", "tweedie", "tweedieNll@1.3",
        lgb_value("tweedie", "tweedie", a, g, w, tweedie_variance_power=1.3), isw)
    for power, ours in [(2, "gammaDeviance"), (1, "poissonDeviance"), (1.3, "tweedieDeviance@1.3")]:
        add("amounts", "sklearn", f"mean_tweedie_deviance({power})", ours,
            skm.mean_tweedie_deviance(a, np.exp(g), power=power, sample_weight=w), isw)

# Counts.
c = rng.poisson(3, n).astype(float)
datasets["counts"] = dict(y=c.tolist(), response=np.exp(g).tolist(), weight=weight.tolist())
for w, isw in [(None, False), (weight, True)]:
    add("counts", "xgboost", "poisson-nloglik", "poissonNll",
        xgb_value("poisson-nloglik", "count:poisson", c, g, w), isw)
    add("counts", "lightgbm", "poisson", "poissonNll less ln y!",
        lgb_value("poisson", "poisson", c, g, w), isw)
    add("counts", "sklearn", "mean_poisson_deviance", "poissonDeviance",
        skm.mean_poisson_deviance(c, np.exp(g), sample_weight=w), isw)

# Two classes, scores with ties.
b = (rng.uniform(size=n) < 0.4).astype(float)
p = np.clip(np.round(0.25 + 0.4 * b + rng.normal(0, 0.25, n), 1), 0.1, 0.9)
m = logit(p)
datasets["two"] = dict(y=b.tolist(), response=p.tolist(), raw=m.tolist(), weight=weight.tolist())
hard = (p > 0.5).astype(int)
for w, isw in [(None, False), (weight, True)]:
    # ams@0.425: a cut that no score lies on both sides of, since XGBoost takes the first of them.
    for name, ours in [("logloss", "logLoss"), ("error", "error"), ("error@0.3", "error@0.3"),
                       ("auc", "auc"), ("aucpr", "aucPr"), ("ams@0.425", "ams@0.425")]:
        add("two", "xgboost", name, ours, xgb_value(name, "binary:logistic", b, m, w), isw)
    for name, ours in [("binary_logloss", "logLoss"), ("binary_error", "error"), ("auc", "auc"),
                       ("average_precision", "averagePrecision")]:
        add("two", "lightgbm", name, ours, lgb_value(name, "binary", b, m, w), isw)
    kw = dict(sample_weight=w)
    add("two", "sklearn", "log_loss", "logLoss", skm.log_loss(b, p, **kw), isw)
    add("two", "sklearn", "roc_auc_score", "auc", skm.roc_auc_score(b, p, **kw), isw)
    add("two", "sklearn", "average_precision_score", "averagePrecision",
        skm.average_precision_score(b, p, **kw), isw)
    add("two", "sklearn", "brier_score_loss", "brier", skm.brier_score_loss(b, p, **kw), isw)
    add("two", "sklearn", "accuracy_score", "accuracy", skm.accuracy_score(b, hard, **kw), isw)
    add("two", "sklearn", "balanced_accuracy_score", "balancedAccuracy",
        skm.balanced_accuracy_score(b, hard, **kw), isw)
    add("two", "sklearn", "f1_score", "f1", skm.f1_score(b, hard, **kw), isw)
    add("two", "sklearn", "f1_score(macro)", "macroF1", skm.f1_score(b, hard, average="macro", **kw), isw)
    add("two", "sklearn", "precision_score", "precision", skm.precision_score(b, hard, **kw), isw)
    add("two", "sklearn", "recall_score", "recall", skm.recall_score(b, hard, **kw), isw)
    add("two", "sklearn", "matthews_corrcoef", "mcc", skm.matthews_corrcoef(b, hard, **kw), isw)

# Soft labels.
s = np.round(rng.uniform(0, 1, n), 2)
s[0], s[1] = 0, 1
datasets["soft"] = dict(y=s.tolist(), response=p.tolist(), raw=m.tolist(), weight=weight.tolist())
for w, isw in [(None, False), (np.where(weight == 0, 0.5, weight), True)]:
    if isw:
        datasets["softWeighted"] = dict(datasets["soft"], weight=w.tolist())
    name = "softWeighted" if isw else "soft"
    add(name, "xgboost", "logloss", "logLoss", xgb_value("logloss", "reg:logistic", s, m, w), isw)
    add(name, "lightgbm", "cross_entropy", "logLoss", lgb_value("cross_entropy", "cross_entropy", s, m, w), isw)
    add(name, "lightgbm", "kullback_leibler", "klDivergence",
        lgb_value("kullback_leibler", "cross_entropy", s, m, w), isw)

# One class only.
one = np.ones(n)
datasets["one"] = dict(y=one.tolist(), response=p.tolist(), raw=m.tolist(), weight=weight.tolist())
add("one", "xgboost", "auc", "auc", xgb_value("auc", "binary:logistic", one, m), False)
add("one", "xgboost", "aucpr", "aucPr", xgb_value("aucpr", "binary:logistic", one, m), False)
add("one", "sklearn", "average_precision_score", "averagePrecision", skm.average_precision_score(one, p), False)
add("one", "sklearn", "roc_auc_score", "auc", skm.roc_auc_score(one, p), False)
add("one", "sklearn", "f1_score", "f1", skm.f1_score(one, hard), False)
add("one", "sklearn", "matthews_corrcoef", "mcc", skm.matthews_corrcoef(one, hard), False)
none = np.zeros(n)
datasets["none"] = dict(y=none.tolist(), response=p.tolist(), raw=m.tolist(), weight=weight.tolist())
add("none", "sklearn", "precision_score", "precision", skm.precision_score(none, hard), False)
add("none", "sklearn", "f1_score", "f1", skm.f1_score(none, hard), False)
add("none", "sklearn", "balanced_accuracy_score", "balancedAccuracy",
    skm.balanced_accuracy_score(none, hard), False)

# Three classes, probabilities with ties.
k = rng.integers(0, 3, n)
z = np.round(4 * (rng.normal(0, 1, (n, 3)) + 1.2 * np.eye(3)[k])) / 4  # exact differences
q = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
datasets["three"] = dict(y=k.tolist(), response=q.T.ravel().tolist(), raw=z.T.ravel().tolist(),
                         weight=weight.tolist(), outputs=3)
top = q.argmax(axis=1)
for w, isw in [(None, False), (weight, True)]:
    for name, ours in [("mlogloss", "logLoss"), ("merror", "error"), ("auc", "aucOvr")]:
        add("three", "xgboost", name, ours, xgb_value(name, "multi:softprob", k, z, w, num_class=3), isw)
    for name, ours, kw in [("multi_logloss", "logLoss", {}), ("multi_error", "1 - topAccuracy@1", {}),
                           ("multi_error", "1 - topAccuracy@2", dict(multi_error_top_k=2)),
                           ("auc_mu", "aucMu of raw scores", {})]:
        add("three", "lightgbm", name, ours,
            lgb_value(name, "multiclass", k, z.T.ravel(), w, num_class=3, **kw), isw)
    kw = dict(sample_weight=w)
    add("three", "sklearn", "log_loss", "logLoss", skm.log_loss(k, q, **kw), isw)
    add("three", "sklearn", "f1_score(macro)", "macroF1", skm.f1_score(k, top, average="macro", **kw), isw)
    add("three", "sklearn", "matthews_corrcoef", "mcc", skm.matthews_corrcoef(k, top, **kw), isw)
    add("three", "sklearn", "balanced_accuracy_score", "balancedAccuracy",
        skm.balanced_accuracy_score(k, top, **kw), isw)
    add("three", "sklearn", "roc_auc_score(ovr, weighted)", "aucOvr",
        skm.roc_auc_score(k, q, multi_class="ovr", average="weighted", **kw), isw)

# Queries: an ordinary one, ties of score, no relevant item, all relevant, one row.
sizes = [12, 10, 6, 5, 1, 6]
qid = np.repeat(np.arange(len(sizes)), sizes)
r = rng.integers(0, 4, n)
r[22:28] = 0
r[28:33] = 2
r[33] = 1
sc = np.round(rng.normal(0, 1, n) + 0.4 * r, 1)
datasets["queries"] = dict(y=r.tolist(), response=sc.tolist(), group=qid.tolist(), weight=weight.tolist())
datasets["relevant"] = dict(datasets["queries"], y=(r > 0).astype(int).tolist())
binary = (r > 0).astype(int)
for w, isw in [(None, False), (weight, True)]:
    for at in ["", "@3", "@5"]:
        for mark, empty in [("", "one"), ("-", "zero")]:
            name = f"ndcg{at}{mark}"
            # Both libraries count 1 for a query without a relevant item whatever its weight.
            add("queries", "xgboost", name, f"ndcg{at} empty zero" if mark else f"ndcg{at} unweighted one",
                xgb_value(name, "rank:ndcg", r, sc, w, qid), isw)
            name = f"map{at}{mark}"
            add("relevant", "xgboost", name, f"map{at} empty {empty}",
                xgb_value(name, "rank:map", binary, sc, w, qid), isw)
    add("relevant", "xgboost", "pre@3", "precisionAt@3 empty zero",
        xgb_value("pre@3", "rank:map", binary, sc, w, qid), isw)
    for at in [3, 5]:
        add("queries", "lightgbm", f"ndcg@{at}", f"ndcg@{at} unweighted one",
            lgb_value("ndcg", "lambdarank", r, sc, w, sizes, eval_at=[at]), isw)
        add("relevant", "lightgbm", f"map@{at}", f"map@{at} empty one",
            lgb_value("map", "lambdarank", binary, sc, w, sizes, eval_at=[at]), isw)

# Right-censored times: a negative label is a censored one.
t = np.round(rng.exponential(5, n), 1) + 0.1
t[7] = t[8]
t[rng.uniform(size=n) < 0.4] *= -1
h = np.round(rng.normal(0, 0.8, n), 2)
datasets["survival"] = dict(y=t.tolist(), response=np.exp(h).tolist(), raw=h.tolist(), weight=weight.tolist())
add("survival", "xgboost", "cox-nloglik", "coxNll", xgb_value("cox-nloglik", "survival:cox", t, h), False)

print(json.dumps(dict(versions=dict(xgboost=xgb.__version__, lightgbm=lgb.__version__,
                                    sklearn=sklearn.__version__),
                      datasets=datasets, cases=cases)))
