// The lines of code of a mistake, as the request that it was found in has them.
#pragma once

#include "core/diagnose/diagnosis.h"
#include "core/diagnose/mistake_rows.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// Both lines of the row. Its words in braces become what the request says: {scale} the right scaling, {fill} the number
// of hidden scores, {hide} and {keep} the mask as it hides and the other way, {corner} the diagonal of the causal mask
// and {other corner}, {order} and {other order} of scale and mask, {rows} what rows without keys become.
MistakeCode code_of(const MistakeRow& row, const Request& request, const Inputs& inputs);

}  // namespace headscope
