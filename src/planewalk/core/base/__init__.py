"""What planewalk stands on beside Python: records, deadlines, names, what other packages bring."""
