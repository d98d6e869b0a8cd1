// A tree of two heads whose files have the shapes that HeadVis's data_pipeline.py documents, key by key.
#pragma once

#include <string>

#include "tests/app/session/temporary_folder.h"

namespace headscope::test {

inline std::string documented_config() {
  return R"({"model_name":"gemma","heads":[[0,1],[2,0]],"n_layers":3,"n_heads":2,"n_intervals":10,)"
         R"("metrics":["induction_score","logit_std"],"metric_descriptions":{"induction_score":"prefix matching"},)"
         R"("head_data_pattern":"L{layer}H{head}.json","has_umap":true,"umap_heads":[[2,0]],)"
         R"("custom_plots":[{"key":"qk_distance_histogram","label":"Q-K distance"}],)"
         R"("custom_tables":[{"key":"top_query_tokens","label":"Top query tokens"}],)"
         R"("statistics_display":{"mean_max_activation":{"label":"Mean max activation","format":"default"}}})";
}

inline std::string documented_scatter() {
  return R"([{"layer":2,"head":0,"induction_score":0.42,"logit_std":null},{"layer":0,"head":1,"induction_score":0.01}])";
}

inline std::string documented_head() {
  return R"({"sequences":[{"sequence_id":17,"interval":10,"tokens":["The"," cat"," sat"],)"
         R"("attention_indices":[0,4,7],"attention_values":[1.0,0.25,0.625],"seq_len":3,"max_activation":0.625},)"
         R"({"sequence_id":"c1f","interval":1,"tokens":["a"],"attention_indices":[],"attention_values":[],)"
         R"("seq_len":1,"max_activation":0}],"qk_distance_histogram":{"bin_edges":[0,1,2,4],"bin_values":[2,1,0]},)"
         R"("top_query_tokens":[{"token":"The","weight":0.34}],"top_key_tokens":[],"histogram":{},)"
         R"("statistics":{"mean_max_activation":0.3,"note":"free"}})";
}

inline void write_documented_tree(const TemporaryFolder& folder, const std::string& name) {
  folder.write(name + "/config.json", documented_config());
  folder.write(name + "/scatter_data.json", documented_scatter());
  for (const char* head : {"L0H1", "L2H0"}) folder.write(name + "/heads/" + head + ".json", documented_head());
}

}  // namespace headscope::test
