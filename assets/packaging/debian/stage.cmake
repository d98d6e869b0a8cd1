# cpack calls it on what it is about to pack. A .deb has a changelog of Debian's form, and both its changelog and its manual
# pages are compressed, without names and times.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(GLOB_RECURSE pages "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/*.[1-9]")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/changelog" DESTINATION "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/headscope"
     FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
execute_process(COMMAND gzip -9nf ${pages} "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/headscope/changelog"
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "gzip failed: ${failed}")
endif()
