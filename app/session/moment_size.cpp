#include "app/session/moment_size.h"

#include <string_view>

#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"

namespace headscope {

namespace {

// What an intervention holds beside itself: its index, the name of its tensor.
constexpr std::size_t kBesideAnItem = 96;

}  // namespace

std::size_t bytes_of_phrases(const Request& request) {
  std::size_t bytes = request.phrase.size();
  if (request.second_phrase) bytes += request.second_phrase->size();
  if (request.key_phrase) bytes += request.key_phrase->size();
  if (request.decoder_phrase) bytes += request.decoder_phrase->size();
  return bytes;
}

std::size_t bytes_of(const Request& request) {
  std::size_t bytes = sizeof(request) + bytes_of_phrases(request);
  visit_interventions(
      request, [&](const auto&, const auto& list) { bytes += list.size() * (sizeof(list.front()) + kBesideAnItem); });
  for (const RequestOption& option : request_options()) {
    // Those are counted above; to spell them would copy megabytes.
    if (std::string_view(option.name).ends_with("phrase") || is_intervention(option.name)) continue;
    bytes += option.get(request).size();
  }
  return bytes;
}

std::size_t bytes_of(const Lesson& lesson) {
  std::size_t bytes = 0;
  for (const LessonStop& stop : lesson) bytes += sizeof(stop) + stop.words.size() + stop.view.size();
  return bytes;
}

std::size_t bytes_of(const Moment& moment) {
  return bytes_of(moment.draft) + sizeof(moment.view) + bytes_of(moment.view.lesson) + moment.document.title.size() +
         moment.document.given_phrase.size();
}

}  // namespace headscope
