# Packs the program with everything it needs, to copy to another machine:
#   hemotile-VERSION-SYSTEM/  hemotile (a link), bin/, lib/hemotile/, share/ (dictionary, manual, pages, licences)
# glibc is left out: it belongs to the kernel and the loader of the machine. Run by the target `bundle`:
#   cmake -DPROGRAM= -DSTRIP= -DSOURCE= -DMADE= -DOUTPUT= -DNAME= -P bundle.cmake
cmake_minimum_required(VERSION 3.25)
set(root ${OUTPUT}/${NAME})
file(REMOVE_RECURSE ${root})
file(MAKE_DIRECTORY ${root}/bin ${root}/lib/hemotile ${root}/share/hemotile ${root}/share/man/man1
  ${root}/share/doc/licences)

file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAM} RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|anl|mvec|BrokenLocale)\\.so")
if(missing)
  message(FATAL_ERROR "bundle: libraries that are not found: ${missing}")
endif()
set(packages)
foreach(library ${libraries})
  file(COPY ${library} DESTINATION ${root}/lib/hemotile FOLLOW_SYMLINK_CHAIN)
  # A library's own path (Open MPI's have one) would hide that of the program.
  get_filename_component(file ${library} NAME)
  file(REAL_PATH ${root}/lib/hemotile/${file} copy)
  file(RPATH_REMOVE FILE ${copy})
  # Finds the library's package, by either name of a merged /usr.
  file(REAL_PATH ${library} real)
  string(REGEX REPLACE "^/usr" "" short ${real})
  execute_process(COMMAND dpkg-query -S ${real} ${short} OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX MATCH "^[^:,]+" package "${owner}")
  list(APPEND packages ${package})
endforeach()
list(REMOVE_DUPLICATES packages)
foreach(package ${packages})
  if(EXISTS /usr/share/doc/${package}/copyright)
    configure_file(/usr/share/doc/${package}/copyright ${root}/share/doc/licences/${package} COPYONLY)
  endif()
endforeach()

file(GLOB dictionary /usr/share/libdcmtk*/dicom.dic)
if(NOT dictionary)
  message(FATAL_ERROR "bundle: DCMTK's dicom.dic is not in /usr/share/libdcmtk*")
endif()
list(GET dictionary 0 dictionary)
file(COPY ${dictionary} DESTINATION ${root}/share/hemotile)
file(COPY ${PROGRAM} DESTINATION ${root}/bin)
execute_process(COMMAND ${STRIP} ${root}/bin/hemotile COMMAND_ERROR_IS_FATAL ANY)
file(CREATE_LINK bin/hemotile ${root}/hemotile SYMBOLIC)
file(COPY ${MADE}/hemotile.1 DESTINATION ${root}/share/man/man1)
file(COPY ${SOURCE}/README.md ${SOURCE}/CHANGELOG.md ${SOURCE}/CITATION.cff ${SOURCE}/LICENSE ${SOURCE}/docs
  ${SOURCE}/cases DESTINATION ${root}/share/doc)
configure_file(${SOURCE}/third_party/niivue/LICENSE ${root}/share/doc/licences/niivue COPYONLY)

execute_process(COMMAND ${CMAKE_COMMAND} -E env XZ_OPT=-9 ${CMAKE_COMMAND} -E tar cJf ${NAME}.tar.xz.part ${NAME}
  WORKING_DIRECTORY ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${OUTPUT}/${NAME}.tar.xz.part ${OUTPUT}/${NAME}.tar.xz)
file(REMOVE_RECURSE ${root})
file(SIZE ${OUTPUT}/${NAME}.tar.xz bytes)
math(EXPR megabytes "${bytes} / 1000000")
list(LENGTH libraries count)
message("bundle: ${OUTPUT}/${NAME}.tar.xz, ${megabytes} MB, ${count} libraries")
