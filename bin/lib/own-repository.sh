# To be read by a script: makes $work/repository, a local repository of Maven that sees what is in the user's one, and writes nothing of Perhaps into it.
users=${MAVEN_REPOSITORY:-$HOME/.m2/repository}
mkdir -p "$work/repository/dev"
for group in "$users"/* "$users"/dev/*; do
  case $group in
    "$users/dev" | "$users/dev/perhaps" | *'*') ;;
    "$users"/dev/*) ln -s "$group" "$work/repository/dev/" ;;
    *) ln -s "$group" "$work/repository/" ;;
  esac
done
