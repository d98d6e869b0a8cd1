// A file that is accepted is written as the same bytes, and can be added to nothing that holds its phrases. Changed
// files get their checksums right, for behind a wrong one nothing is read.
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/principal_axes.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  constexpr unsigned int kLeftWrong = 16;
  const std::size_t changed = LLVMFuzzerMutate(data, size, most);
  if (seed % kLeftWrong == 0) return changed;
  const auto bytes = fuzz::as_bytes(data, changed);
  if (const auto place = corpus_checksum_place(bytes)) {
    const std::string digits = corpus_checksum(bytes, *place);
    std::memcpy(data + *place, digits.data(), digits.size());
  }
  return changed;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const CorpusRecord record = parse_corpus_file(fuzz::as_bytes(data, size), "fuzz.hsagg");
    const std::string again = corpus_file_bytes(record);
    fuzz::require(parse_corpus_file(std::as_bytes(std::span(again)), "again") == record, "a record is read back");
    fuzz::require(record.scanned.empty() || !difference_of(record, record).empty(), "no phrase counts twice");
    for (const HeadRecord& head : record.heads) {
      for (const CorpusMetric metric : all_corpus_metrics()) head.mean(metric);
      for (const HeadVectors& vectors : head.vectors) {
        constexpr std::int64_t kMostNumbers = 16;  // as long as others would take
        if (vectors.size() > kMostNumbers) continue;
        const PrincipalAxes axes = principal_axes(vectors, record.tokens);
        for (const double place : projected_points(axes, vectors.points, axes.size())) {
          fuzz::require(std::isfinite(place), "a point has a place");
        }
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
