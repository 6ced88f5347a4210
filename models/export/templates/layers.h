{% macro kept(value, most) %}{{ value }} < 0 ? 0 : {{ value }} > {{ most }} ? {{ most }} : {{ value }}{% endmacro %}
{# `values_1`, `values_2`, ... of `values_0` and `numbers`, which are `Layers.joined` #}
{% macro layers_of(layers, type, activated) %}
{% for inputs, units in layers.pairs %}
    {{ type }} values_{{ loop.index }}[{{ units }}];
    for (int v = 0; v < {{ units }}; v++)
        values_{{ loop.index }}[v] = numbers[v];
    for (int u = 0; u < {{ inputs }}; u++)
        for (int v = 0; v < {{ units }}; v++)
            values_{{ loop.index }}[v] += numbers[{{ units }} + u * {{ units }} + v] * values_{{ loop.index0 }}[u];
{% if not loop.last %}
    numbers += {{ units * (inputs + 1) }};
    for (int v = 0; v < {{ units }}; v++) {
        {{ type }} sum = values_{{ loop.index }}[v];
        values_{{ loop.index }}[v] = {{ activated }};
    }
{% endif %}
{% endfor %}
{% endmacro %}
