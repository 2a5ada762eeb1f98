// Makes weka.json: class probabilities of Weka's LogitBoost over DecisionStump after some rounds.
//
// weka-stable 3.8.6 (Maven Central, nz.ac.waikato.cms.weka), SHA-256 of the jar
// 932ea2f342b58fe45736389e9c426d5b5955e610d1f5f6485117f532068915e9; its dependencies mtj 1.0.4,
// netlib-java 1.1, bounce 0.18 and java-cup 11b-20160615 on the class path. Java 17.
//
// java -cp <jars> tests/golden/logitboost/recipe.java ../shared/datasets | grep -v WARNING > tests/golden/logitboost/weka.json
import java.io.File;
import java.util.Arrays;
import java.util.Locale;
import weka.classifiers.meta.LogitBoost;
import weka.classifiers.trees.DecisionStump;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.converters.CSVLoader;

class recipe {
  /** Every so many rows one is written. */
  static final int STEP = 7;

  public static void main(String[] args) throws Exception {
    String[][] sets = {{"iris", "species"}, {"wine", "cultivar"}, {"breast_cancer", "diagnosis"}};
    double[] shrinkages = {1, 0.3};
    int[] rounds = {1, 2, 5, 10, 20, 40};
    StringBuilder out = new StringBuilder("{\"weka\":\"3.8.6\",\"rowStep\":" + STEP + ",\"runs\":[");
    String between = "\n";
    for (String[] set : sets) {
      CSVLoader loader = new CSVLoader();
      loader.setSource(new File(args[0], set[0] + ".csv"));
      loader.setNominalAttributes(String.valueOf(columnOf(args[0], set) + 1));
      Instances data = loader.getDataSet();
      data.setClassIndex(data.attribute(set[1]).index());
      for (double shrinkage : shrinkages) {
        for (int count : rounds) {
          LogitBoost booster = new LogitBoost();
          booster.setClassifier(new DecisionStump());
          booster.setNumIterations(count);
          booster.setShrinkage(shrinkage);
          booster.buildClassifier(data);
          out.append(between).append(String.format(Locale.ROOT,
              "{\"dataset\":\"%s\",\"target\":\"%s\",\"shrinkage\":%s,\"rounds\":%d,\"zMax\":%s,",
              set[0], set[1], shrinkage, count, booster.getZMax()));
          double loss = 0;
          StringBuilder probabilities = new StringBuilder();
          for (int row = 0; row < data.numInstances(); row++) {
            Instance instance = data.instance(row);
            double[] p = booster.distributionForInstance(instance);
            loss -= Math.log(p[(int) instance.classValue()]) / data.numInstances();
            if (row % STEP == 0) {
              probabilities.append(row == 0 ? "" : ",").append(Arrays.toString(p).replace(" ", ""));
            }
          }
          out.append("\"classes\":[");
          for (int k = 0; k < data.numClasses(); k++) {
            out.append(k == 0 ? "" : ",").append('"').append(data.classAttribute().value(k)).append('"');
          }
          out.append("],\"logLoss\":").append(loss);
          out.append(",\"probabilities\":[").append(probabilities).append("]}");
          between = ",\n";
        }
      }
    }
    System.out.println(out.append("\n]}"));
  }

  static int columnOf(String folder, String[] set) throws Exception {
    try (var lines = java.nio.file.Files.lines(new File(folder, set[0] + ".csv").toPath())) {
      return Arrays.asList(lines.findFirst().get().split(",")).indexOf(set[1]);
    }
  }
}
