# Writes commit.h with the `git describe` of the sources, and only where it has changed.
# cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake
set(commit "")
find_program(git git)
# Not of a repository that happens to lie around an unpacked tarball.
if(git AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${git} describe --always --dirty --tags WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
set(text "#define HT_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()
