"""The local default: Spark, Iceberg and Java from wheels, no server and nothing installed beforehand."""
