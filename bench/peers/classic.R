# Trains ranger's tree or forest on one set of bench/data/classic.ts; one line of JSON.
#
# Rscript classic.R <train path> <test path> <tree|forest> <threads> [trees]
suppressMessages(library(ranger))
args <- commandArgs(trailingOnly = TRUE)
learner <- args[3]; threads <- as.integer(args[4]); trees <- if (length(args) > 4) as.integer(args[5]) else 500L
read <- function(path) {
  kinds <- readLines(paste0(path, ".txt"))
  n <- file.size(paste0(path, ".y")) / 4
  y <- readBin(paste0(path, ".y"), "numeric", n, size = 4)
  x <- matrix(readBin(paste0(path, ".f32"), "numeric", n * length(kinds), size = 4), nrow = n)
  frame <- as.data.frame(x)
  # This version of ranger refuses missing values: a missing category is a category of its own.
  for (i in which(kinds == "category")) {
    frame[[i]][is.na(frame[[i]])] <- -1
    frame[[i]] <- factor(frame[[i]], levels = -1:200)
  }
  frame$y <- factor(y)
  for (i in which(kinds == "category")) frame[[i]] <- droplevels(frame[[i]])
  frame
}
train <- read(args[1])
peak <- function() as.numeric(sub("VmHWM:\\s*([0-9]+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
before <- peak()
began <- proc.time(); clock <- Sys.time()
model <- if (learner == "tree") {
  ranger(dependent.variable.name = "y", data = train, num.trees = 1, mtry = ncol(train) - 1, replace = FALSE,
         sample.fraction = 1, min.node.size = 1, num.threads = threads, seed = 1, oob.error = FALSE)
} else {
  ranger(dependent.variable.name = "y", data = train, num.trees = trees, min.node.size = 1,
         num.threads = threads, seed = 1, oob.error = FALSE)
}
took <- proc.time() - began; seconds <- as.numeric(difftime(Sys.time(), clock, units = "secs"))
top <- peak()
bytes <- length(serialize(model, NULL, xdr = FALSE))
file <- tempfile(); saveRDS(model, file); packed <- file.size(file)
test <- read(args[2])
# Levels as in training.
for (name in names(test)) if (is.factor(test[[name]]) && name != "y") test[[name]] <- factor(as.character(test[[name]]), levels = levels(train[[name]]))
test <- test[complete.cases(test), ]
right <- mean(predict(model, test, num.threads = threads)$predictions == test$y)
cat(sprintf('{"learner":"ranger %s","seconds":%.4f,"cpu":%.2f,"peakMegabytes":%.0f,"dataMegabytes":%.0f,"bytes":%.0f,"packedBytes":%.0f,"nodes":%d,"accuracy":%.4f}\n',
            packageVersion("ranger"), seconds, took[["user.self"]] + took[["sys.self"]], top, before, bytes, packed,
            sum(sapply(model$forest$split.varIDs, length)), right))
