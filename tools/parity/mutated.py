#!/usr/bin/env python3
"""Damages model files of XGBoost, LightGBM and CatBoost a little and writes down what the library still says.

    python tools/parity/mutated.py FOLDER [--count 1000] [--seed 1] [--only lightgbm]

A file the library refuses, hangs on or dies of has no scores. `deno run -A tools/parity/mutated.ts FOLDER`
imports all of them: refusing is always right, other scores than the library's never are. Needs numpy,
xgboost, lightgbm and catboost.
"""
import argparse
import json
import multiprocessing
import os
import random
import re
import sys
import tempfile

import numpy as np

TOKENS = ["0x10", "1e999", "nan", "-nan", "NaN", "inf", "-Infinity", "+5", ".5", "5.", "1e2", "007", "0b1", "1_0",
          "-1", "-0", "0", "1", "2", "3", "4", "5", "3.7", "1e-35", "1e-400", "128", "256", "4294967297", "2147483648",
          "9007199254740993", "100000000000000000000", "null", "true", '"1"', '"0x10"', "[]", "0.1e1", "1.0"]
LINES = ["", " ", "foo", "foo=1", "=x", "Tree=9", "end of trees", "feature importances:", "average_output", "num_class=2",
         "is_linear=1", "objective=poisson", "objective=binary sigmoid:2"]


def trained(library, number, rng):
    """A small model as bytes in each format, and rows: on the table and on thresholds."""
    X = rng.randn(200, 3).astype(np.float32).astype(float)
    X[:, 2] = rng.randint(0, 9, 200)
    X[rng.rand(200, 3) < 0.15] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 2]) % 3
    several = np.digitize(score, [0.5, 1.5])
    kind = number % 3
    y = [score, several, (score > 1).astype(int)][kind]
    rows = np.vstack([X[:40], np.where(rng.rand(40, 3) < 0.3, rng.choice([0.0, -0.0, np.nan, 1e30, 12], (40, 3)), X[40:80])])
    path = f"{tempfile.gettempdir()}/mutated-{os.getpid()}"
    if library == "lightgbm":
        import lightgbm
        p = {"objective": ["regression", "multiclass", "binary"][kind], "verbosity": -1, "num_threads": 1, "num_leaves": 5,
             "min_data_per_group": 1, "linear_tree": number % 2 == 0 and kind != 1}
        if kind == 1:
            p["num_class"] = 3
        data = lightgbm.Dataset(X, y, categorical_feature=[2] if number % 4 > 1 else [])
        return [("txt", lightgbm.train(p, data, 3).model_to_string().encode())], rows
    if library == "xgboost":
        import xgboost
        types = ["float", "float", "c" if number % 4 > 1 else "float"]
        p = {"objective": ["reg:squarederror", "multi:softprob", "binary:logistic"][kind], "max_depth": 2, "nthread": 1,
             "booster": ["gbtree", "dart"][number % 2], "max_cat_to_onehot": 1}
        if kind == 1:
            p["num_class"] = 3
        data = xgboost.DMatrix(X, y, feature_names=list("abc"), feature_types=types, enable_categorical=True)
        booster = xgboost.train(p, data, 3)
        return [(form, bytes(booster.save_raw(form))) for form in ("json", "ubj")], rows
    import catboost
    model = catboost.CatBoost({"loss_function": ["RMSE", "MultiClass", "Logloss"][kind], "iterations": 3, "depth": 2,
                               "thread_count": 1, "verbose": 0, "allow_writing_files": False, "border_count": 9})
    model.fit(X, y)
    model.save_model(path, format="json")
    text = re.sub(r"\s*\n\s*", "", open(path).read()).replace('": ', '":')
    os.remove(path)
    return [("json", text.encode())], rows


def ask(library, path, rows):
    """Raw scores of the library for a file."""
    if library == "lightgbm":
        import lightgbm
        booster = lightgbm.Booster(model_file=path)
        if booster.num_feature() != rows.shape[1]:
            raise ValueError("another number of features")
        return booster.predict(rows, raw_score=True, num_threads=1)
    if library == "xgboost":
        import xgboost
        booster = xgboost.Booster({"nthread": 1}, model_file=path)
        data = xgboost.DMatrix(rows, feature_names=booster.feature_names, feature_types=booster.feature_types,
                               enable_categorical=True)
        return booster.predict(data, output_margin=True)
    import catboost
    model = catboost.CatBoost()
    model.load_model(path, format="json")
    return model.predict(rows, prediction_type="RawFormulaVal", thread_count=1)


def serve(library, pipe):
    """Answers until the library takes the process with it."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    while True:
        path, rows = pipe.recv()
        try:
            said = np.asarray(ask(library, path, rows), dtype=float)
            pipe.send(said.reshape(len(rows), -1).tolist())
        except Exception:  # a refusal
            pipe.send(None)


class Library:
    """The library in a process of its own, begun anew where a file ends it."""

    def __init__(self, name):
        self.name = name
        self.start()

    def start(self):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=serve, args=(self.name, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, path, rows, seconds=10):
        try:
            self.pipe.send((path, rows))
            if self.pipe.poll(seconds):
                return self.pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            pass
        self.process.kill()
        self.start()
        return None


def with_sizes(text):
    """LightGBM's text with the sizes its trees have now: without, most changes are refused for that alone."""
    head, _, rest = text.partition("\nTree=")
    trees = ("Tree=" + rest).partition("end of trees")[0]
    sizes = [str(len("Tree=" + tree)) for tree in trees.split("Tree=")[1:]]
    return re.sub(r"tree_sizes=.*", lambda _: "tree_sizes=" + " ".join(sizes), head) + "\nTree=" + rest


def mutate_text(text, dice):
    lines = text.split("\n")
    fields = [i for i, line in enumerate(lines) if "=" in line]
    i, j = dice.choice(fields), dice.choice(fields)
    kind = dice.choice(["token"] * 6 + ["line", "line", "delete", "repeat", "swap", "return", "cut"])
    if kind == "token":
        key, _, value = lines[i].partition("=")
        tokens = value.split(" ")
        at = dice.randrange(len(tokens))
        tokens[at:at + dice.choice([0, 1, 1, 1])] = [dice.choice(TOKENS)] * dice.choice([0, 1, 1, 1])
        lines[i] = f"{key}={' '.join(tokens)}"
    elif kind == "line":
        lines.insert(i, dice.choice(LINES))
    elif kind == "delete":
        del lines[i]
    elif kind == "repeat":
        lines.insert(i, lines[j])
    elif kind == "swap":
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == "return":
        at = dice.randrange(len(lines[i]) + 1)
        lines[i] = lines[i][:at] + "\r" + lines[i][at:]
    text = "\n".join(lines)
    if kind == "cut":
        text = text[:dice.randrange(len(text))]
    return with_sizes(text) if dice.random() < 0.8 else text


def mutate_json(text, dice):
    kind = dice.choice(["number"] * 4 + ["item"] * 3 + ["text", "repeat", "delete", "cut"])
    pattern = {"number": r"(?<=[\[,:])-?\d[\d.eE+-]*(?=[,\]}])", "item": r'(?<=":)\[[^\[\]{}]*\]', "text": r'(?<=":)"[^"]*"'}
    entry = r'"\w+":(?:"[^"]*"|\[[^\[\]{}]*\]|-?\d[\d.eE+-]*|true|false),?'
    found = dice.choice(list(re.finditer(pattern.get(kind, entry), text)))
    old = found.group()
    if kind == "cut":
        return text[:dice.randrange(len(text))]
    if kind == "number":
        new = dice.choice(TOKENS)
    elif kind == "text":
        new = json.dumps(dice.choice(["0x10", "1e2", "[1E0,2E0]", " 1", "1x", "", "3", "dart", "reg:gamma", "AsTrue"]))
    elif kind == "item":
        items = old[1:-1].split(",") if old != "[]" else []
        at = dice.randrange(len(items) + 1)
        items[at:at + dice.choice([0, 1, 1])] = [dice.choice(TOKENS)] * dice.choice([0, 1, 1])
        new = f"[{','.join(items)}]"
    elif kind == "delete":
        new = ""
    else:
        key, _, value = old.rstrip(",").partition(":")
        new = f"{key}:{re.sub('[0-9]', lambda _: str(dice.randrange(5)), value, count=1)},{old}"
    return (text[:found.start()] + new + text[found.end():]).replace(",}", "}")


def mutate(form, data, dice):
    if form == "ubj":
        data = bytearray(data)
        for _ in range(dice.choice([1, 1, 2])):
            at = dice.randrange(len(data))
            data[at] = dice.choice([dice.randrange(256), data[at] ^ 1, data[at] ^ 128, 0, 1, 2])
        return bytes(data)
    change = mutate_text if form == "txt" else mutate_json
    return change(data.decode(), dice).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=1000, help="files of each library")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one library")
    args = parser.parse_args()
    for name in ("lightgbm", "xgboost", "catboost"):
        if args.only not in (None, name):
            continue
        folder = os.path.join(args.folder, name)
        os.makedirs(folder, exist_ok=True)
        dice = random.Random(args.seed)
        models = [trained(name, i, np.random.RandomState(args.seed * 100 + i)) for i in range(12)]
        library = Library(name)
        said = 0
        for number in range(args.count):
            forms, rows = models[number % len(models)]
            form, data = forms[dice.randrange(len(forms))]
            if number >= len(models):  # the first ones stay whole
                data = mutate(form, data, dice)
            path = os.path.join(folder, f"{number:05d}.{form}")
            with open(path, "wb") as file:
                file.write(data)
            scores = library.ask(path, rows)
            said += scores is not None
            with open(path + ".said", "w") as file:
                json.dump({"rows": [[None if v != v else v for v in row] for row in rows.tolist()],
                           "scores": scores and [[None if v != v else str(v) for v in row] for row in scores]}, file)
        print(f"{name}: {args.count} files, {said} of them are read by the library")


if __name__ == "__main__":
    sys.exit(main())
