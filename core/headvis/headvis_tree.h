// What the tree of files holds that HeadVis shows: transformer-circuits.pub/2026/headvis, whose README and
// data_pipeline.py say what its files mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

constexpr std::int64_t kHeadVisIntervals = 10;  // of what we write

struct HeadVisHistogram {
  std::vector<double> edges, values;  // one edge more than values; both empty where there is none
  friend bool operator==(const HeadVisHistogram&, const HeadVisHistogram&) = default;
};

struct HeadVisToken {
  std::string token;  // as shown
  double weight = 0;  // attention that it gives or gets
  friend bool operator==(const HeadVisToken&, const HeadVisToken&) = default;
};

// A phrase and what one head does with it: the largest weights, each at query q and key k.
struct HeadVisSequence {
  std::string id;                     // a whole number where we write it
  std::int64_t interval = 0;          // 1 to HeadVisConfig::intervals, the last with the largest weights
  std::vector<std::string> tokens;    // as shown
  std::vector<std::int64_t> indices;  // q * number of tokens + k
  std::vector<double> values;         // one an index
  double max_activation = std::numeric_limits<double>::quiet_NaN();  // the largest weight with q > 0 and k > 0
};

// heads/L#H#.json
struct HeadVisHead {
  std::vector<HeadVisSequence> sequences;
  std::map<std::string, HeadVisHistogram> plots;            // by key: "qk_distance_histogram", "histogram", others
  std::map<std::string, std::vector<HeadVisToken>> tables;  // by key: "top_query_tokens", "top_key_tokens", others
  std::map<std::string, double> statistics;
};

// A key of the files of heads, and how it is to be called.
struct HeadVisLabel {
  std::string key, label;
  friend bool operator==(const HeadVisLabel&, const HeadVisLabel&) = default;
};

// config.json
struct HeadVisConfig {
  std::string model;
  std::vector<std::pair<std::int64_t, std::int64_t>> heads;  // layer and head, each once
  std::int64_t layers = 0, heads_each = 0;                   // of the model, for display
  std::int64_t intervals = kHeadVisIntervals;
  std::vector<std::string> metrics;
  std::map<std::string, std::string> descriptions;  // of metrics
  std::string pattern = "L{layer}H{head}.json";     // names of the files in heads/
  std::vector<HeadVisLabel> plots, tables, statistics;
  std::map<std::string, std::string> facts;  // of ours under "headscope": digests and counts; not read
};

// config.json and scatter_data.json; heads are read one by one.
struct HeadVisTree {
  HeadVisConfig config;
  std::vector<std::vector<double>> values;  // [heads][metrics]; NaN where the head has none
};

// "L3H11.json"
std::string headvis_file_name(const std::string& pattern, std::int64_t layer, std::int64_t head);

}  // namespace headscope
