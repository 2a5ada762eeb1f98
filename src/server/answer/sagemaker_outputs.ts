/**
 * What an answer of SageMaker's protocol may hold.
 *
 * @module
 */

/**
 * Parts that an answer of SageMaker's protocol may have, by their names in the variable
 * SAGEMAKER_INFERENCE_OUTPUT of a container.
 */
export const SAGEMAKER_OUTPUTS = [
  "predicted_label",
  "labels",
  "probability",
  "probabilities",
  "raw_score",
  "raw_scores",
  "predicted_score",
] as const;

/** One of {@linkcode SAGEMAKER_OUTPUTS}. */
export type SagemakerOutput = typeof SAGEMAKER_OUTPUTS[number];
