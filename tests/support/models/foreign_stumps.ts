/**
 * Files of other libraries that hold one stump on `x`.
 *
 * @module
 */

/** A LightGBM file of one stump on `x`: 10 on the left, 1 on the right. */
export function lightgbmStump(threshold: number, decision: number, categories?: number): string {
  const numCat = categories === undefined ? 0 : 1;
  return "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n" +
    "max_feature_idx=0\nobjective=regression\nfeature_names=x\n" +
    `feature_infos=${categories === undefined ? "[-3:3]" : "0:1:2"}\n\n` +
    `Tree=0\nnum_leaves=2\nnum_cat=${numCat}\nsplit_feature=0\nsplit_gain=5\n` +
    `threshold=${threshold}\ndecision_type=${decision}\nleft_child=-1\nright_child=-2\n` +
    "leaf_value=10 1\nleaf_weight=3 3\nleaf_count=3 3\ninternal_value=0\ninternal_weight=0\n" +
    "internal_count=6\n" +
    (numCat === 0 ? "" : `cat_boundaries=0 1\ncat_threshold=${categories}\n`) +
    "is_linear=0\nshrinkage=1\n\n\nend of trees\n\npandas_categorical:null\n";
}

/** XGBoost's file of one stump: 10 below the threshold, else 20. */
export function xgboostStump(threshold: string): string {
  return `{"version":[3,2,0],"learner":{"feature_names":["x"],"feature_types":["float"],` +
    `"learner_model_param":{"base_score":"[0E0]","num_class":"0","num_feature":"1"},` +
    `"objective":{"name":"reg:squarederror"},"gradient_booster":{"name":"gbtree","model":{` +
    `"gbtree_model_param":{"num_trees":"1"},"tree_info":[0],"trees":[{` +
    `"tree_param":{"num_nodes":"3","size_leaf_vector":"1"},"left_children":[1,-1,-1],` +
    `"right_children":[2,-1,-1],"split_indices":[0,0,0],"split_conditions":[${threshold},10,20],` +
    `"default_left":[1,0,0]}]}}}}`;
}
