"""Files about the course that instructors download. A separate process makes each file, as jobs.py explains.

__main__.py  the process       gradebook.py  the course as a gradebook of a batch (course_rows.py has its rows)
files.py     each file         xlsx.py       a spreadsheet
"""
