"""Writes the scikit-learn and CatBoost cases of this folder. Made with scikit-learn 1.9.1 and CatBoost 1.2.10.

    python make.py

The data sets are those that scikit-learn ships (iris, diabetes, breast cancer); inputs are their first rows.
"""
import sys, json, numpy as np, warnings
warnings.filterwarnings("ignore")
sys.path.insert(0, "../../../tools")
from sklearn_export import export_model
from sklearn import datasets, tree, ensemble
import pandas as pd
rng = np.random.RandomState(0)
Xi, yi = datasets.load_iris(return_X_y=True); Xd, yd = datasets.load_diabetes(return_X_y=True); Xb, yb = datasets.load_breast_cancer(return_X_y=True)
def nan(X, p=0.1):
    X = X.copy(); X[rng.rand(*X.shape) < p] = np.nan; return X
cases = {}
def add(name, m, X, y, out, sw=None):
    m.fit(X, y) if y is not None else m.fit(X)
    Xt = X[:25] if not hasattr(X, "iloc") else X.iloc[:25]
    open(name + ".json", "w").write(export_model(m))
    o = out(m, Xt)
    Xv = Xt.values if hasattr(Xt, "values") else Xt
    json.dump({"X": [[None if (isinstance(v, float) and v != v) or v is None else (v if isinstance(v, str) else float(v)) for v in r] for r in Xv.tolist()], "names": list(map(str, Xt.columns)) if hasattr(Xt, "columns") else None, "out": np.asarray(o).reshape(len(Xt), -1).tolist()}, open(name + ".exp.json", "w"))
proba = lambda m, X: m.predict_proba(X); pred = lambda m, X: m.predict(X); score = lambda m, X: -m.score_samples(X)
add("dt_cls", tree.DecisionTreeClassifier(max_depth=4, random_state=0), nan(Xi), yi, proba)
add("dt_reg", tree.DecisionTreeRegressor(max_depth=5, random_state=0), nan(Xd), yd, pred)
add("et_tree", tree.ExtraTreeRegressor(max_depth=5, random_state=0), Xd, yd, pred)
add("dt_multi", tree.DecisionTreeRegressor(max_depth=4, random_state=0), Xd, np.c_[yd, yd ** 2], pred)
add("rf_cls", ensemble.RandomForestClassifier(4, max_depth=6, random_state=0), nan(Xi), yi, proba)
add("rf_bin", ensemble.RandomForestClassifier(4, max_depth=6, random_state=0, class_weight="balanced"), Xb, np.where(yb, "good", "bad"), proba)
add("rf_reg", ensemble.RandomForestRegressor(4, max_depth=5, random_state=0), Xd, yd, pred)
add("et_cls", ensemble.ExtraTreesClassifier(4, max_depth=4, random_state=0), Xi, yi, proba)
add("et_reg", ensemble.ExtraTreesRegressor(4, max_depth=4, random_state=0), Xd, yd, pred)
add("gb_cls", ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0), Xi, yi, proba)
add("gb_bin", ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0), Xb, yb, proba)
add("gb_exp", ensemble.GradientBoostingClassifier(n_estimators=5, loss="exponential", random_state=0), Xb, yb, proba)
for loss in ("squared_error", "absolute_error", "huber", "quantile"):
    add("gb_" + loss, ensemble.GradientBoostingRegressor(n_estimators=5, loss=loss, random_state=0), Xd, yd, pred)
add("hgb_cls", ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0), nan(Xi), yi, proba)
add("hgb_bin", ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0), nan(Xb), yb, proba)
for loss in ("squared_error", "absolute_error", "poisson", "gamma"):
    add("hgb_" + loss, ensemble.HistGradientBoostingRegressor(max_iter=5, loss=loss, random_state=0), nan(Xd), yd, pred)
n = 500
df = pd.DataFrame({"num": rng.randn(n), "c": pd.Categorical(rng.choice(list("abcde"), n)), "num2": nan(rng.randn(n, 1))[:, 0]})
df.loc[rng.rand(n) < 0.1, "c"] = np.nan
y = df["num"].values + df["c"].map({"a": 1, "b": -1, "c": 2, "d": 0, "e": 3}).astype(float).fillna(5).values + rng.randn(n) * .1
add("hgb_cat", ensemble.HistGradientBoostingRegressor(max_iter=5, categorical_features="from_dtype", random_state=0), df, y, pred)
codes = np.c_[df["num"].values, df["c"].cat.codes.replace(-1, np.nan).values.astype(float)]
add("hgb_codes", ensemble.HistGradientBoostingRegressor(max_iter=5, categorical_features=[1], random_state=0), codes, y, pred)
add("iforest", ensemble.IsolationForest(n_estimators=5, random_state=0), Xb, None, score)
add("iforest_one", ensemble.IsolationForest(n_estimators=3, max_samples=50, max_features=1, random_state=0), Xb, None, score)
add("iforest_sub", ensemble.IsolationForest(n_estimators=5, max_samples=50, max_features=0.5, random_state=0), Xb, None, score)
# categories that are numbers, some of which Python writes otherwise than JSON (1e-07, 1e-05)
codes = np.array([1e-7, 3.5e-7, 1e-5, 0.25, 3])[np.random.RandomState(1).randint(5, size=300)][:, None]
add("hgb_numbers", ensemble.HistGradientBoostingRegressor(max_iter=5, categorical_features=[0], random_state=0), codes, np.unique(codes, return_inverse=True)[1].ravel(), pred)
# catboost
try:
    from catboost import CatBoostClassifier, CatBoostRegressor
    def cb(name, m, X, y, out):
        m.fit(X, y, verbose=False); m.save_model(name + ".json", format="json")
        o = out(m, X[:25]); json.dump({"X": [[None if v != v else float(v) for v in r] for r in X[:25].tolist()], "names": None, "out": np.asarray(o).reshape(25, -1).tolist(), "raw": m.predict(X[:25], prediction_type="RawFormulaVal").reshape(25, -1).tolist()}, open(name + ".exp.json", "w"))
    kw = dict(iterations=4, random_seed=0, allow_writing_files=False, thread_count=1)
    cb("cb_reg", CatBoostRegressor(depth=5, **kw), Xd, yd, pred)
    cb("cb_bin", CatBoostClassifier(depth=4, **kw), nan(Xb), yb, proba)
    cb("cb_max", CatBoostClassifier(nan_mode="Max", depth=3, **kw), nan(Xb), yb, proba)
    cb("cb_multi", CatBoostClassifier(depth=3, **kw), nan(Xi), yi, proba)
    cb("cb_ova", CatBoostClassifier(loss_function="MultiClassOneVsAll", depth=3, **kw), Xi, yi, proba)
    cb("cb_poisson", CatBoostRegressor(loss_function="Poisson", depth=3, **kw), Xd, yd, lambda m, X: m.predict(X, prediction_type="Exponent"))
    cb("cb_strings", CatBoostClassifier(depth=3, **kw), Xi, np.array(["x", "y", "z"])[yi], proba)
    cb("cb_multirmse", CatBoostRegressor(loss_function="MultiRMSE", depth=3, **kw), Xd, np.c_[yd, -yd], pred)
except Exception as e: print("catboost", repr(e))
