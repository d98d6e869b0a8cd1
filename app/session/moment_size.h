// How much memory a request, a lesson and a moment of the timeline take.
#pragma once

#include <cstddef>

#include "app/session/lesson.h"
#include "app/session/moment.h"
#include "core/request/request.h"

namespace headscope {

// Bytes of the phrases of a request.
std::size_t bytes_of_phrases(const Request& request);

// About the bytes that these values hold: exact for phrases and for the words of a lesson, which may be megabytes;
// never less for interventions; of other options the length of their text. Takes microseconds, whatever the phrases
// hold.
std::size_t bytes_of(const Request& request);
std::size_t bytes_of(const Lesson& lesson);
std::size_t bytes_of(const Moment& moment);

}  // namespace headscope
