# Importances of ranger 0.14.1 (R 4.2.2) over 20 seeds: mean and standard deviation of each feature
# -> importance.json. Run from the repository: Rscript tests/golden/forest/importance.R
# Trees are shallow: in tiny nodes many features part the rows alike, ranger takes the first drawn
# and Treeline the first of the data, which moves importance between them.
library(ranger)

sets <- list(
  list(name = "wine", target = "cultivar", mtry = 3, regression = FALSE),
  list(name = "diabetes", target = "progression", mtry = 3, regression = FALSE),
  list(name = "diabetes", target = "progression", mtry = 3, regression = TRUE)
)
trees <- 300
depth <- 4
out <- list()
for (set in sets) {
  data <- read.csv(file.path("../shared/datasets", paste0(set$name, ".csv")))
  if (!set$regression && set$name == "diabetes") data[[set$target]] <- data[[set$target]] > 140
  if (!set$regression) data[[set$target]] <- factor(data[[set$target]])
  for (mode in c("impurity", "impurity_corrected", "permutation")) {
    runs <- sapply(1:20, function(seed) {
      ranger(dependent.variable.name = set$target, data = data, num.trees = trees, mtry = set$mtry,
             min.node.size = 1, max.depth = depth, importance = mode, seed = seed,
             num.threads = 1)$variable.importance
    })
    out[[length(out) + 1]] <- list(
      dataset = set$name, regression = set$regression, mtry = set$mtry, trees = trees, depth = depth,
      mode = mode, features = rownames(runs), mean = unname(rowMeans(runs)),
      sd = unname(apply(runs, 1, sd)))
  }
}
writeLines(jsonlite::toJSON(list(origin = paste("importance.R, ranger", packageVersion("ranger")), runs = out),
                            auto_unbox = TRUE, digits = 10), "tests/golden/forest/importance.json")
