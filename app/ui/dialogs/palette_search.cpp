#include "app/ui/dialogs/palette_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "app/session/session.h"
#include "app/ui/dialogs/palette_match.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostHits = 200;
// Names found by other words than their label come behind those with the word in it.
constexpr int kOtherWords = 120;

std::vector<const PaletteKind*> all_kinds() {
  std::vector<const PaletteKind*> kinds;
  for (const auto& part : {palette_commands(), palette_options(), palette_looks(), palette_places()}) {
    for (const PaletteKind& kind : part) kinds.push_back(&kind);
  }
  return kinds;
}

// A fitting entry: its rank, then its place in the list.
struct Found {
  int rank = 0;
  std::size_t place = 0;
};

std::vector<Found> matches(const PaletteSearch& search, const SearchQuery& query, bool forgiving) {
  std::vector<Found> found;
  for (std::size_t i = 0; i < search.listed.size(); ++i) {
    const PaletteSearch::Listed& listed = search.listed[i];
    if (query.words.empty()) {
      if (listed.kind->at_once) found.push_back({0, i});
      continue;
    }
    int rank = match_rank(query, listed.searched, forgiving);
    if (!listed.english.empty()) rank = std::min(rank, match_rank(query, listed.english, forgiving));
    if (!listed.also.empty() && rank > kOtherWords) {
      const int also = match_rank(query, listed.also, forgiving);
      if (also < kNoMatch) rank = std::min(rank, also + kOtherWords);
    }
    if (rank < kNoMatch) found.push_back({rank, i});
  }
  return found;
}

// Lines of one label get names of their own.
void name_hits(std::vector<PaletteHit>& hits) {
  std::map<std::string, int> seen;
  for (PaletteHit& hit : hits) {
    const int count = ++seen[hit.entry.label];
    hit.name = count == 1 ? hit.entry.label : fmt::format("{}#{}", hit.entry.label, count);
  }
}

}  // namespace

void list_palette(Ui& ui, PaletteSearch& search) {
  search = PaletteSearch();
  search.trace = ui.session.trace();
  std::vector<PaletteEntry> entries;
  for (const PaletteKind* kind : all_kinds()) {
    if (kind->list == nullptr) continue;
    entries.clear();
    kind->list(ui, entries);
    for (PaletteEntry& entry : entries) {
      PaletteSearch::Listed listed{kind, std::move(entry), "", "", ""};
      // In another language both are found: what stands on screen, and the English words.
      const std::string_view shown = said(ui, label_of(listed.entry));
      listed.searched = searchable(shown);
      if (!listed.entry.other_words.empty()) listed.also = searchable(listed.entry.other_words);
      if (shown != listed.entry.label) listed.english = searchable(listed.entry.label);
      search.listed.push_back(std::move(listed));
    }
  }
}

const std::vector<PaletteHit>& palette_hits(Ui& ui, PaletteSearch& search, const std::string& typed) {
  if (search.trace.lock() != ui.session.trace()) list_palette(ui, search);
  if (search.fresh && search.typed == typed) return search.hits;
  search.fresh = true;
  search.typed = typed;
  search.hits.clear();
  const SearchQuery query = search_query(typed);
  std::vector<Found> found = matches(search, query, false);
  const auto best =
      std::min_element(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.rank < b.rank; });
  if (best == found.end() || best->rank >= kMatchScattered) found = matches(search, query, true);

  // What is spelled comes first among entries of its rank.
  std::vector<PaletteHit> spelled;
  std::vector<PaletteEntry> entries;
  for (const PaletteKind* kind : all_kinds()) {
    if (kind->spell == nullptr || query.words.empty()) continue;
    entries.clear();
    kind->spell(ui, typed, entries);
    for (PaletteEntry& entry : entries) spelled.push_back({kind, std::move(entry), ""});
  }
  std::stable_sort(spelled.begin(), spelled.end(),
                   [](const PaletteHit& a, const PaletteHit& b) { return a.entry.rank < b.entry.rank; });
  const std::size_t shown = std::min(kMostHits, found.size());
  std::partial_sort(
      found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shown), found.end(),
      [](const Found& a, const Found& b) { return std::tie(a.rank, a.place) < std::tie(b.rank, b.place); });
  search.left_out = found.size() - shown;
  std::size_t next = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    for (; next < spelled.size() && spelled[next].entry.rank <= found[i].rank; ++next) {
      search.hits.push_back(spelled[next]);
    }
    const PaletteSearch::Listed& listed = search.listed[found[i].place];
    const bool is_spelled = std::any_of(spelled.begin(), spelled.end(), [&](const PaletteHit& hit) {
      return hit.kind == listed.kind && hit.entry.label == listed.entry.label;
    });
    if (!is_spelled) search.hits.push_back({listed.kind, listed.entry, ""});
  }
  search.hits.insert(search.hits.end(), spelled.begin() + static_cast<std::ptrdiff_t>(next), spelled.end());
  name_hits(search.hits);
  return search.hits;
}

}  // namespace headscope::ui
