# rpart 4.1.19 (R 4.2.2) with priors, losses, weights, surrogates and folds of its cross-validation
# -> runs.json. Run from the repository: Rscript tests/golden/rpart/recipe.R
library(rpart)

shared <- function(name, ...) {
  read.csv(file.path("../shared/datasets", paste0(name, ".csv")), stringsAsFactors = TRUE,
           na.strings = c("", "?", "NA"), ...)
}
titanic <- shared("titanic")[c("survived", "pclass", "sex", "age", "sibsp", "parch", "fare", "embarked")]
auto <- shared("auto_mpg"); auto$name <- NULL
sets <- list(
  kyphosis = list(data = kyphosis, target = "Kyphosis"),
  titanic = list(data = titanic, target = "survived"),
  penguins = list(data = shared("penguins"), target = "species"),
  car = list(data = shared("car"), target = "class"),
  credit_g = list(data = shared("credit_g"), target = "class"),
  auto_mpg = list(data = auto, target = "mpg")
)
# Predictions are kept of every row_step-th row.
row_step <- 7
# Costs in the order of the classes: loss[actual][predicted].
# credit_g has many categories, and a level that a node has not seen asks the surrogates here, follows
# the heavier child in Treeline: its held-out rows are not compared. Folds and cp keep clear of cuts
# that gain the same up to the 15th digit (credit_g below 0.0075: age and duration, 2.9069767441860).
runs <- list(
  list(set = "kyphosis", prior = c(0.65, 0.35), cp = 0.01, folds = 10),
  list(set = "kyphosis", loss = rbind(c(0, 1), c(4, 0)), cp = 0.001, folds = 9),
  list(set = "kyphosis", prior = c(0.3, 0.7), loss = rbind(c(0, 2), c(3, 0)), cp = 0, folds = 8),
  list(set = "kyphosis", split = "information", cp = 0, folds = 7),
  list(set = "kyphosis", split = "information", prior = c(0.5, 0.5), cp = 0.001, folds = 7, weights = TRUE),
  list(set = "titanic", cp = 0.003, folds = 7),
  list(set = "titanic", cp = 0.003, folds = 9, prior = c(0.5, 0.5)),
  list(set = "titanic", cp = 0.005, folds = 8, loss = rbind(c(0, 1), c(2, 0)), weights = TRUE),
  list(set = "penguins", cp = 0.001, folds = 10, prior = c(0.2, 0.3, 0.5),
       loss = rbind(c(0, 1, 3), c(1, 0, 2), c(3, 2, 0))),
  list(set = "penguins", cp = 0.001, folds = 10, loss = rbind(c(0, 1, 2), c(3, 0, 1), c(1, 4, 0))),
  list(set = "penguins", cp = 0, folds = 5, split = "information", weights = TRUE),
  list(set = "car", cp = 0.002, folds = 10),
  list(set = "car", cp = 0.002, folds = 6, prior = c(0.25, 0.25, 0.25, 0.25)),
  list(set = "credit_g", cp = 0.0075, folds = 10, loss = rbind(c(0, 5), c(1, 0)), grown_only = TRUE),
  list(set = "auto_mpg", cp = 0.002, folds = 10),
  list(set = "auto_mpg", cp = 0.0005, folds = 10, weights = TRUE)
)
# The cross-validated error by hand, from fits of rpart on the folds: where costs are not symmetric
# rpart's own xerror and xstd charge loss[predicted][actual] (ginipred in gini.c).
by_hand <- function(fit, formula, data, target, parms, folds) {
  n <- nrow(data)
  fold <- (seq_len(n) - 1) %% folds + 1
  table <- fit$cptable
  root <- fit$frame$dev[1]
  beta <- root * sqrt(table[, 1] * c(100 * table[1, 1], head(table[, 1], -1)))
  total <- sum(data$w__)
  loss <- matrix(0, n, nrow(table))
  for (k in seq_len(folds)) {
    inside <- data[fold != k, ]
    scale <- sum(inside$w__) / total
    start <- rpart(formula, inside, weights = w__, method = "class", parms = parms, cp = 1, xval = 0)
    risk <- start$frame$dev[1]
    tree <- rpart(formula, inside, weights = w__, method = "class", parms = parms,
                  cp = tail(table[, 1], 1) * root * scale / risk, xval = 0)
    held <- which(fold == k)
    for (j in seq_len(nrow(table))) {
      label <- predict(prune(tree, cp = beta[j] * scale / risk), data[held, ], type = "class")
      loss[held, j] <- parms$loss[cbind(as.integer(data[[target]][held]), as.integer(label))]
    }
  }
  sums <- colSums(data$w__ * loss)
  cbind(sums / root, sqrt(colSums(data$w__ * loss^2) - sums^2 / total) / root)
}

out <- lapply(runs, function(run) {
  set <- sets[[run$set]]
  data <- set$data
  y <- data[[set$target]]
  regression <- run$set == "auto_mpg"
  if (!regression) data[[set$target]] <- factor(y)
  n <- nrow(data)
  data$w__ <- if (isTRUE(run$weights)) 1 + (seq_len(n) - 1) %% 3 / 2 else rep(1, n)
  parms <- list()
  if (!is.null(run$prior)) parms$prior <- run$prior
  if (!is.null(run$loss)) parms$loss <- run$loss
  if (!is.null(run$split)) parms$split <- run$split
  if (length(parms) == 0) parms <- NULL
  formula <- as.formula(paste(set$target, "~ . - w__"))
  fit <- rpart(formula, data, weights = w__, method = if (regression) "anova" else "class", parms = parms,
               cp = run$cp, xval = (seq_len(n) - 1) %% run$folds + 1)
  frame <- fit$frame
  predicted <- predict(fit, data)
  skewed <- !is.null(run$loss) && any(run$loss != t(run$loss))
  table <- unname(fit$cptable)
  if (skewed || isTRUE(run$grown_only)) table <- table[, 1:3]
  if (skewed && is.null(run$prior) && !isTRUE(run$grown_only)) table <- cbind(table, by_hand(fit, formula, data, set$target, parms, run$folds))
  shown <- seq(1, n, by = row_step)
  list(set = run$set, target = set$target, cp = run$cp, folds = run$folds, split = run$split, prior = run$prior,
       loss = run$loss, weights = isTRUE(run$weights),
       classes = if (regression) NULL else levels(data[[set$target]]),
       table = unname(table),
       splitVariables = as.character(frame$var),
       labels = if (regression) NULL else as.character(predict(fit, data, type = "class"))[shown],
       predictions = if (regression) unname(predicted[shown]) else unname(predicted[shown, ]))
})
writeLines(jsonlite::toJSON(list(origin = paste("recipe.R, rpart", packageVersion("rpart")), rowStep = row_step, runs = out),
                            auto_unbox = TRUE, digits = NA, null = "null"), "tests/golden/rpart/runs.json")
